// Starts the page of a report file. The page contains this script unpacked, and the same text is the script of the worker. So
// both have the decoder, and the worker starts without waiting for another script.
//
// The starter runs immediately (async). The experiment is the largest part of the file and comes after the starter. So the
// page and its engine start while the browser still reads the experiment.
import { fromDenseText } from './dense_text';
import { unlzma } from './lzma';
import { takeText } from './page_data';
import { answerRequests, type ToWorker } from './worker';

/** The element with this script. `build/one_file.ts` writes the element. */
const STARTER = 'whittle-starter';
/** The elements with the packed engine and the packed script of the page. `whittle report` writes the elements. */
const ENGINE = 'whittle-engine';
const SCRIPT = 'whittle-script';

if (typeof document === 'undefined') answerRequests();
else startPage();

/** The worker is started first, because browsers need a long time to start a worker. `report.ts` then uses this worker. */
function startPage(): void {
  const engine = takeText(ENGINE);
  if (engine !== '') {
    globalThis.whittleWorker = new Worker(url(takeText(STARTER)));
    const message: ToWorker = { kind: 'engine', text: engine };
    globalThis.whittleWorker.postMessage(message);
  }
  void import(/* @vite-ignore */ url(unlzma(fromDenseText(takeText(SCRIPT)))));
}

function url(script: BlobPart): string {
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}
