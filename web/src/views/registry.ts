// All views, found by their folders: each `views/<name>/index.tsx` exports `view: ViewDefinition`.
import type { ViewDefinition } from '../view';

const modules = import.meta.glob<{ view: ViewDefinition | undefined }>('./*/index.tsx', { eager: true });

export const VIEWS: readonly ViewDefinition[] = Object.values(modules)
  .flatMap((module) => module.view ?? [])
  .sort((left, right) => left.order - right.order);

export function viewNamed(name: string): ViewDefinition | undefined {
  return VIEWS.find((view) => view.name === name);
}
