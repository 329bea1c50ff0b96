// Takes the current view out of the page: as text, CSV, a picture, a link, on paper.
import { For, type JSX, Show, createSignal } from 'solid-js';
import { type Export, useApp } from '../app';
import { copyText } from './function_actions';

/** A table that is pasted somewhere is read by people; a CSV file by programs. */
const TEXT_ROWS = 100;
const ALL_ROWS = 0;

interface Command {
  title: string;
  run(): Promise<void> | void;
}

export function ExportMenu(props: { offer: Export }): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = createSignal(false);
  const asText = async (format: 'text' | 'csv'): Promise<string> => {
    const shown = props.offer.request?.();
    const of = shown && { ...shown, limit: shown.limit ?? (format === 'csv' ? ALL_ROWS : TEXT_ROWS) };
    const answer = await app.engine.ask(app.state.experiment, { view: 'export-text', format, of });
    const { text } = answer.kind === 'json' ? (answer.value as { text?: string }) : {};
    if (typeof text !== 'string') throw new Error('the engine gave no text');
    return text;
  };
  const commands = (): Command[] => {
    const { request, svg, png } = props.offer;
    const list: Command[] = [];
    if (request?.()) {
      list.push({ title: 'Copy as text', run: async () => copyText(app, await asText('text'), 'The view') });
      list.push({ title: 'Save as text', run: async () => save(await asText('text'), 'text/plain', 'txt') });
      list.push({ title: 'Save as CSV', run: async () => save(await asText('csv'), 'text/csv', 'csv') });
    }
    if (svg) list.push({ title: 'Save as SVG', run: async () => save(await svg(), 'image/svg+xml', 'svg') });
    if (png) list.push({ title: 'Save as PNG', run: async () => save(await png(), 'image/png', 'png') });
    list.push({ title: 'Copy link to this state', run: () => copyText(app, location.href, 'The link') });
    list.push({ title: 'Print', run: () => window.print() });
    return list;
  };
  const save = (content: string | Blob, type: string, ending: string) => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content], { type }));
    link.download = `whittle-${app.state.view}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    app.say(`${link.download} was saved`);
  };
  const run = async (command: Command) => {
    setOpen(false);
    try {
      await command.run();
    } catch (error) {
      app.say(`${command.title} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let box!: HTMLDivElement;
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setOpen(false);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const all = [...box.querySelectorAll<HTMLElement>('button')];
    const at = all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    all[(at + all.length) % all.length]?.focus();
  };
  return (
    <div
      class="drop"
      ref={box}
      onKeyDown={move}
      onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setOpen(false)}
    >
      <button type="button" class="button quiet" aria-expanded={isOpen()} onClick={() => setOpen(!isOpen())}>
        Export
      </button>
      <Show when={isOpen()}>
        <div class="popover drop-list">
          <For each={commands()}>
            {(command) => (
              <button type="button" onClick={() => void run(command)}>
                {command.title}
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}
