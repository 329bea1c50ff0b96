// Where one begins.
import type { ViewDefinition } from '../registry';

function Home() {
  return <h1>Overview</h1>;
}

export const view: ViewDefinition = {
  name: 'home',
  title: 'Overview',
  question: 'What was collected, how good is it, where did the time go?',
  key: 'o',
  order: 10,
  group: 'start',
  component: Home,
};
