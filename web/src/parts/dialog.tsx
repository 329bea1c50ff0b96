// A modal dialog with a title and a button that closes it. Escape and a click outside close it, too.
import { createUniqueId, type JSX, onMount } from 'solid-js';

export function Dialog(props: { title: string; class: string; onClose(): void; children: JSX.Element }): JSX.Element {
  const id = createUniqueId();
  let dialog!: HTMLDialogElement;
  onMount(() => dialog.showModal());
  return (
    <dialog
      class={`dialog ${props.class}`}
      ref={dialog}
      aria-labelledby={id}
      onClose={() => props.onClose()}
      onClick={(event) => event.target === dialog && dialog.close()}
    >
      <div class="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <button type="button" class="button quiet icon" aria-label="Close" onClick={() => dialog.close()}>
          ×
        </button>
      </div>
      {props.children}
    </dialog>
  );
}

/** Closes the dialog of an element. The focus returns to the element that had it before. */
export function closeDialogOf(element: Element): void {
  element.closest('dialog')?.close();
}
