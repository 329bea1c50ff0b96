// The frame around every view: top bar, navigation, chips, the view, the details strip.
import { createComponent, createEffect, createSignal, type JSX, on, onCleanup, Show } from 'solid-js';
import { AppContext, useApp } from '../app';
import { ComparisonBand } from '../compare/band';
import { SideLinks } from '../compare/side_links';
import { EngineError } from '../engine/answer';
import { focusLostView } from '../parts/focus_view';
import { Failure, Toolbar } from '../parts/parts';
import { NoteDialog } from '../user_notes/note_dialog';
import { viewNamed } from '../views/registry';
import { Chips } from './chips';
import type { Frame, Spoken } from './create_app';
import { FunctionMenu } from './function_menu';
import { Help } from './help';
import { listenForKeys } from './keys';
import { PointerTooltip } from './pointer_tooltip';
import { SharedNote } from './shared_note';
import { Side } from './side';
import { DetailsStrip } from './strip';
import { TopBar } from './top_bar';

const SPOKEN_MS = 4000;

export function Shell(props: { frame: Frame }): JSX.Element {
  const frame = props.frame;
  const { app } = frame;
  const [isHelpOpen, setHelpOpen] = createSignal(false);
  const view = () => viewNamed(app.state.view);
  const missing = () => {
    const experiment = app.experiment();
    return experiment && view()?.missing?.(experiment);
  };
  const isNothingOpen = () => app.hasFleet() && app.experiments().length === 0;
  const closeAll = () => {
    const wasOpen = frame.menu() !== null;
    frame.closeMenu();
    return wasOpen;
  };
  onCleanup(listenForKeys({ app, openHelp: () => setHelpOpen(true), closeAll }));
  // The link that opened the view is gone with the view that contained it, and the focus with it.
  createEffect(
    on(
      () => app.state.view,
      () => queueMicrotask(focusLostView),
      { defer: true },
    ),
  );
  createEffect(() => {
    const name = app.experiments()[app.state.experiment]?.name;
    document.title = [view()?.title, name, 'whittle'].filter((part) => part).join(' · ');
  });
  return (
    <AppContext.Provider value={app}>
      {/* biome-ignore lint/a11y/useValidAnchor: it is a link within the page, but the address must keep the state. */}
      <a class="skip" href="#view" onClick={skipToView}>
        Skip to the view
      </a>
      <TopBar offer={frame.offer()} onHelp={() => setHelpOpen(true)} />
      <Side />
      <Show when={!view()?.needsFleet}>
        <Chips />
      </Show>
      <Show when={!view()?.worksWithout}>
        <ComparisonBand />
      </Show>
      <main class="view" id="view" tabIndex={-1}>
        <SharedNote />
        <Show when={view()} keyed fallback={<NoView name={app.state.view} />}>
          {(shown) => {
            frame.clearOffer();
            app.showDetails(null);
            return (
              <Show
                when={shown.worksWithout || !frame.experimentError()}
                fallback={<NoExperiment title={shown.title} error={frame.experimentError()} onAgain={() => frame.refresh()} />}
              >
                <Show when={shown.worksWithout || !isNothingOpen()} fallback={<NothingOpen title={shown.title} />}>
                  <Show when={missing()} fallback={createComponent(shown.component, {})}>
                    {(why) => <Missing title={shown.title} why={why()} />}
                  </Show>
                </Show>
              </Show>
            );
          }}
        </Show>
      </main>
      <DetailsStrip />
      <PointerTooltip />
      <Show when={frame.menu()} keyed>
        {(target) => <FunctionMenu target={target} onClose={() => frame.closeMenu()} />}
      </Show>
      <NoteDialog />
      <Show when={isHelpOpen()}>
        <Help onClose={() => setHelpOpen(false)} />
      </Show>
      <Announcement spoken={frame.spoken()} />
    </AppContext.Provider>
  );
}

/** Without the experiment's answer, no view has anything to show. */
function NoExperiment(props: { title: string; error: EngineError | undefined; onAgain(): void }): JSX.Element {
  return (
    <>
      <Toolbar title={props.title} />
      <Show when={props.error}>{(error) => <Failure error={error()} />}</Show>
      <p class="try-again">
        <button type="button" class="button" onClick={() => props.onAgain()}>
          Try again
        </button>
      </p>
    </>
  );
}

/** Shown until a selection of the fleet is open. */
function NothingOpen(props: { title: string }): JSX.Element {
  const app = useApp();
  return (
    <>
      <Toolbar title={props.title} />
      <div class="none-selected">
        <p>No fleet data is open yet. Select services, versions, hosts and a time range, then open them in the analyzer.</p>
        <p>
          <a class="button main" href={app.href({ view: 'fleet' })}>
            Go to the fleet
          </a>
        </p>
      </div>
    </>
  );
}

/** Shown if the experiment has no data for the view. */
function Missing(props: { title: string; why: string }): JSX.Element {
  return (
    <>
      <Toolbar title={props.title} />
      <div class="missing-view">
        <p>{props.why}.</p>
        <SideLinks />
      </div>
    </>
  );
}

function NoView(props: { name: string }): JSX.Element {
  return (
    <>
      <Toolbar title="No such view" />
      <Failure error={new EngineError(`There is no view called ${props.name}.`, 'request')} />
    </>
  );
}

/** Moves the focus instead of the address, because the hash contains the state. */
function skipToView(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('view')?.focus();
}

function Announcement(props: { spoken: Spoken }): JSX.Element {
  const [isShown, setShown] = createSignal(false);
  createEffect(() => {
    setShown(props.spoken.isShown);
    if (!props.spoken.isShown) return;
    const timer = setTimeout(() => setShown(false), SPOKEN_MS);
    onCleanup(() => clearTimeout(timer));
  });
  return (
    <div class="spoken" classList={{ shown: isShown() }} role="status" aria-live="polite">
      {props.spoken.text}
    </div>
  );
}
