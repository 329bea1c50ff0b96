// Sizes of what is drawn on: an element's, followed; a canvas's, for screens with several pixels to a CSS pixel.
import { type Accessor, createSignal, onCleanup, onMount } from 'solid-js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The inner size of an element in CSS pixels, followed from when it is in the page; before that 0. */
export function watchSize(element: () => HTMLElement): Accessor<Size> {
  const [size, setSize] = createSignal<Size>({ width: 0, height: 0 });
  onMount(() => {
    const watched = element();
    const observer = new ResizeObserver(() => setSize({ width: watched.clientWidth, height: watched.clientHeight }));
    observer.observe(watched);
    onCleanup(() => observer.disconnect());
  });
  return size;
}

/** The context of a canvas of this size, scaled to CSS pixels; null if there is nothing to draw on. */
export function sizedContext(canvas: HTMLCanvasElement, size: Size): CanvasRenderingContext2D | null {
  if (size.width === 0 || size.height === 0) return null;
  const scale = globalThis.devicePixelRatio || 1;
  const [width, height] = [Math.round(size.width * scale), Math.round(size.height * scale)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d', { alpha: false });
  context?.setTransform(scale, 0, 0, scale, 0, 0);
  return context;
}
