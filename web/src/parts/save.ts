// Saves a file on the user's machine.
import type { App } from '../app';

/** The browser needs the content for a moment after the click. */
const KEPT_MS = 10_000;

export function save(app: App, content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  app.say(`${name} was saved`);
}
