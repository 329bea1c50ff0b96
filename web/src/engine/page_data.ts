// The data in the page of a report file: elements with text that the browser does not run.

/** Takes an element's text and removes the element, because its text is large. Empty if the element is missing. */
export function takeText(id: string): string {
  const element = document.getElementById(id);
  element?.remove();
  return element?.textContent ?? '';
}
