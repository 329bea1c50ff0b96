// Sizes of elements and canvases. Canvases take into account that a screen may have several pixels per CSS pixel.
import { type Accessor, createSignal, onCleanup, onMount } from 'solid-js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The inner size of an element in CSS pixels. It is updated while the element is in the page; before that, it is 0. */
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

/** The context of a canvas of this size, scaled to CSS pixels; null if the size is 0. */
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
