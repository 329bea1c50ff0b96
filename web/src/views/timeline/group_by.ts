// What the rows of the timeline are grouped by.
import type { App } from '../../app';

export const GROUP = 'timeline.group';

export const groupBy = (app: App): string => app.state.options[GROUP] || 'pool';
