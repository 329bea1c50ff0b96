// The menu of a function: what can be done with it, from anywhere.
import type { MenuPlace } from '../app';

export interface MenuTarget {
  name: string;
  place: MenuPlace;
  binary?: string | null;
  kind?: string;
}
