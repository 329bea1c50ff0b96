// The dialog that shares the shown view, with a note for its readers.
import { createSignal, type JSX, Show } from 'solid-js';
import { useApp } from '../app';
import { Dialog } from '../parts/dialog';
import { copyText } from '../parts/function_actions';
import { save } from '../parts/save';
import { MAX_NOTE_CHARS } from '../state/codec';
import { reportName, shareTexts, stateAlone } from './share_texts';
import { sqlCommand } from './sql_command';
import './share_dialog.css';

export interface Share {
  /** The commands of the export menu that share the shown view. */
  commands(): { title: string; run(): void }[];
  dialog(): JSX.Element;
}

export function useShare(): Share {
  const app = useApp();
  const [isOpen, setOpen] = createSignal(false);
  return {
    commands() {
      const copySql = sqlCommand(app);
      return [
        ...(copySql ? [{ title: 'Copy as DuckDB command', run: () => void copySql() }] : []),
        { title: 'Share this view …', run: () => void setOpen(true) },
      ];
    },
    dialog: () => (
      <Show when={isOpen()}>
        <ShareDialog onClose={() => setOpen(false)} />
      </Show>
    ),
  };
}

function ShareDialog(props: { onClose(): void }): JSX.Element {
  const app = useApp();
  const [note, setNote] = createSignal(app.state.note);
  const path = () => app.experiments()[app.state.experiment]?.path ?? '';
  const texts = () => shareTexts(app.state, note(), { page: `${location.origin}${location.pathname}`, path: path() });
  return (
    <Dialog title="Share this view" class="share-dialog" onClose={() => props.onClose()}>
      <label>
        Note for the readers
        <textarea rows={3} maxLength={MAX_NOTE_CHARS} value={note()} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <Shared title="Link" what="The link" text={texts().link}>
        Opens only on a machine where this address leads to this analyzer, in a browser that has opened the printed address. The
        link has no access token.
      </Shared>
      <Show when={texts().view}>
        {(command) => (
          <Shared title="Command" what="The command" text={command()}>
            Opens this view on any machine that has the experiment. Run it in the folder of the experiment.
          </Shared>
        )}
      </Show>
      <Show when={texts().report}>
        {(command) => (
          <Shared title="Report file" what="The command" text={command()}>
            Writes one file that opens at this view without whittle. With this command, the file contains the sources of the
            hottest functions; add --no-sources to leave them out.
          </Shared>
        )}
      </Show>
      <Show when={app.engine.report && path() !== ''}>
        <SaveReport path={path()} note={note()} />
      </Show>
    </Dialog>
  );
}

function Shared(props: { title: string; what: string; text: string; children: JSX.Element }): JSX.Element {
  const app = useApp();
  return (
    <section>
      <div class="share-head">
        <h3>{props.title}</h3>
        <button
          type="button"
          class="button small"
          aria-label={`Copy: ${props.title}`}
          onClick={() => void copyText(app, props.text, props.what)}
        >
          Copy
        </button>
      </div>
      <code class="share-text">{props.text}</code>
      <p class="dim">{props.children}</p>
    </section>
  );
}

function SaveReport(props: { path: string; note: string }): JSX.Element {
  const app = useApp();
  const [hasSources, setSources] = createSignal(false);
  const [isMaking, setMaking] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  const make = async () => {
    // The button keeps the focus, so it is not disabled.
    if (isMaking()) return;
    setMaking(true);
    setProblem('');
    try {
      const order = { at: stateAlone(app.state, props.note), with_sources: hasSources() };
      const html = await app.engine.report?.(app.state.experiment, order);
      save(app, new Blob([html ?? ''], { type: 'text/html' }), reportName(props.path));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setMaking(false);
  };
  return (
    <section>
      <div class="share-save">
        <button type="button" class="button" aria-disabled={isMaking()} onClick={() => void make()}>
          {isMaking() ? 'Making the report …' : 'Save the report file'}
        </button>
        <label>
          <input type="checkbox" checked={hasSources()} onChange={(event) => setSources(event.currentTarget.checked)} /> With the
          sources of the hottest functions
        </label>
      </div>
      <Show when={problem()}>
        <p class="share-problem" role="alert">
          {problem()}
        </p>
      </Show>
      <p class="dim">
        The file contains everything that the experiment shows: names of functions, files, threads and the host, and the command
        line.
      </p>
    </section>
  );
}
