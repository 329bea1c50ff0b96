// Exports the current view: as text, CSV, picture or link, or on paper.
import { createSignal, For, type JSX, Show } from 'solid-js';
import { type Export, useApp } from '../app';
import { copyText } from '../parts/function_actions';
import { save } from '../parts/save';
import { useShare } from '../share/share_dialog';

/** People read a pasted table, so it is short. Programs read a CSV file. */
const TEXT_ROWS = 100;
const ALL_ROWS = 0;

/** The answer to `export-text`. This request is not a view. */
interface ExportText {
  text: string;
}

function isExportText(value: unknown): value is ExportText {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}

interface Command {
  title: string;
  run(): Promise<void> | void;
}

export function ExportMenu(props: { offer: Export }): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = createSignal(false);
  const share = useShare();
  const asText = async (format: 'text' | 'csv'): Promise<string> => {
    const shown = props.offer.request?.();
    const of = shown && { ...shown, limit: shown.limit ?? (format === 'csv' ? ALL_ROWS : TEXT_ROWS) };
    const answer = await app.engine.ask(app.state.experiment, { view: 'export-text', format, of });
    const value = answer.kind === 'json' ? answer.value : undefined;
    if (!isExportText(value)) throw new Error('the engine returned no text');
    return value.text;
  };
  const commands = (): Command[] => {
    const { request, svg, png } = props.offer;
    const list: Command[] = [];
    if (request?.()) {
      list.push({ title: 'Copy as text', run: async () => copyText(app, await asText('text'), 'The view') });
      list.push({ title: 'Save as text', run: async () => saveAs(await asText('text'), 'text/plain', 'txt') });
      list.push({ title: 'Save as CSV', run: async () => saveAs(await asText('csv'), 'text/csv', 'csv') });
    }
    if (svg) list.push({ title: 'Save as SVG', run: async () => saveAs(await svg(), 'image/svg+xml', 'svg') });
    if (png) list.push({ title: 'Save as PNG', run: async () => saveAs(await png(), 'image/png', 'png') });
    list.push({ title: 'Copy link to this view', run: () => copyText(app, location.href, 'The link') });
    list.push(...share.commands());
    list.push({ title: 'Print', run: () => window.print() });
    return list;
  };
  const saveAs = (content: string | Blob, type: string, ending: string) =>
    save(app, new Blob([content], { type }), `whittle-${app.state.view}.${ending}`);
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
      {share.dialog()}
    </div>
  );
}
