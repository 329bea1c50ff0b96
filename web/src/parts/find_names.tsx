// A box that keeps only the rows with a text in their name.
import { type JSX, onCleanup, Show } from 'solid-js';
import { counted } from '../format/numbers';

/** A pause of this length ends a part of the text. Without a pause, each key would send a request. */
const TYPING_MS = 200;

export function FindNames(props: {
  /** What has a name: `thread`. */
  readonly what: string;
  readonly named: string;
  /** The number of rows that were found; undefined before the first answer. */
  readonly rowCount: number | undefined;
  readonly onNamed: (text: string) => void;
}): JSX.Element {
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const title = () => `Find ${props.what}s`;
  return (
    <>
      <input
        type="search"
        data-search
        aria-label={title()}
        placeholder={title()}
        value={props.named}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer);
          timer = setTimeout(() => props.onNamed(value), TYPING_MS);
        }}
      />
      <Show when={props.named !== '' && props.rowCount !== undefined}>
        <span role="status">
          {props.rowCount === 0 ? `No ${props.what} has this name` : `${counted(props.rowCount ?? 0, 'row')} found`}
        </span>
      </Show>
    </>
  );
}
