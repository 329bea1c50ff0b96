// The page of the user's guide about a finding, in a panel next to the findings. The address names the page, so Back closes it
// and a link opens it.
import { For, type JSX, Show } from 'solid-js';
import { useApp } from '../../app';
import type { Finding, FindingsView, GuideBlock } from '../../engine/answers';
import { Dialog } from '../../parts/dialog';
import { useOption } from '../../parts/use_option';
import { Words } from '../../parts/words';

const OPTION = 'home.guide';

export function GuideLink(props: { of: Finding }): JSX.Element {
  const app = useApp();
  return (
    <a
      class="button"
      href={app.href({ options: { ...app.state.options, [OPTION]: props.of.detector } })}
      aria-label={`Guide: ${props.of.title}`}
    >
      Guide
    </a>
  );
}

/** The open page. It shows nothing if no page is open, or if the experiment has no such finding. */
export function GuidePanel(props: { of: FindingsView }): JSX.Element {
  const [detector, setDetector] = useOption(OPTION, '');
  const title = () => props.of.findings.find((finding) => finding.detector === detector())?.title ?? '';
  return (
    <Show when={props.of.guides?.[detector()]}>
      {(blocks) => (
        <Dialog title={title()} class="guide" onClose={() => setDetector('')}>
          <For each={blocks()}>{(block) => <Block of={block} />}</For>
        </Dialog>
      )}
    </Show>
  );
}

/** Not `Dynamic`, which contains a list of all elements of pictures. */
const BLOCKS: Readonly<Record<GuideBlock['kind'], (texts: JSX.Element) => JSX.Element>> = {
  heading: (texts) => <h3>{texts}</h3>,
  paragraph: (texts) => <p>{texts}</p>,
  list: (texts) => <ul>{texts}</ul>,
  code: (texts) => <pre>{texts}</pre>,
};

function Block(props: { of: GuideBlock }): JSX.Element {
  const words = (text: string) => <Words of={text} />;
  return BLOCKS[props.of.kind](
    <For each={props.of.texts}>{(text) => (props.of.kind === 'list' ? <li>{words(text)}</li> : <span>{words(text)}</span>)}</For>,
  );
}
