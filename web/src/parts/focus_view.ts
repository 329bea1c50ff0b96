// Moves the focus into the content of the view.

/** The focus moves to the content of a new view if the content appears within this time. */
const FOCUS_PATIENCE_MS = 3000;

/**
 * Focuses the content of the view, so that arrow keys work at once. The content may arrive later, with the engine's
 * answer.
 */
export function focusView(until = performance.now() + FOCUS_PATIENCE_MS): void {
  const view = document.getElementById('view');
  const first = (selector: string) => view?.querySelector<HTMLElement>(selector);
  // A divider of columns can come before the table.
  const target = first('[role="grid"], [role="treegrid"], [role="tree"]') ?? first('[tabindex="0"]:not([role="separator"])');
  if (target) target.focus();
  else if (document.activeElement === document.body || document.activeElement === view) {
    view?.focus();
    if (performance.now() < until) requestAnimationFrame(() => focusView(until));
  }
}

/** Focuses the content of a new view if no element has the focus. A link outside of the view keeps it. */
export function focusLostView(): void {
  if (document.activeElement === null || document.activeElement === document.body) focusView();
}
