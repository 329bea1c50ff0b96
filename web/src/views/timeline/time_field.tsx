// The field in which the user types a time of the run.
import type { JSX } from 'solid-js';
import { useApp } from '../../app';
import { readable } from '../../format/numbers';
import { typedTime } from '../../format/typed_time';

export function TimeField(props: {
  readonly wholeNs: number;
  readonly onTime: (timeNs: number) => void;
  /** Called with the field, so that a key can focus it. */
  readonly onField: (field: HTMLInputElement) => void;
}): JSX.Element {
  const app = useApp();
  const go = (text: string): void => {
    const timeNs = typedTime(text);
    if (timeNs === undefined) app.say('Write a time since the start of the run: 12.3 or 12.3 s');
    else if (timeNs > props.wholeNs) app.say(`The run ends at ${readable(props.wholeNs, 'nanoseconds')}`);
    else props.onTime(timeNs);
  };
  return (
    <label>
      Go to time{' '}
      <input
        ref={props.onField}
        type="text"
        size={9}
        placeholder="12.3 s"
        onKeyDown={(event) => event.key === 'Enter' && go(event.currentTarget.value)}
      />
    </label>
  );
}
