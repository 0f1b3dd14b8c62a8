// One view's tap: opened while the view is on the screen, changed in place, closed with it.
import { getContext, setContext, untrack } from 'svelte';
import type { Tap } from '../api';
import type { TapHandle } from '../connection';
import type { Frame, Tapped } from '../protocol';
import { dashboard } from '../state.svelte';

/** What a panel tells its view, and the view its panel. */
export class PanelStatus {
  /** Whether any of the panel is on the screen. */
  visible = $state(false);
  error = $state<string | undefined>();
  framesPerSecond = $state(0);
  lost = $state(0);
}

const KEY = Symbol('panel');
export const provideStatus = (status: PanelStatus) => setContext(KEY, status);

export interface Listener {
  frame?(frame: Frame): void;
  rows?(rows: unknown[]): void;
  /** The tap is there, or its axis changed. */
  tapped?(tapped: Tapped): void;
}

/** Keeps a tap open while the panel is seen. `make` says what is wanted; a change of it changes the tap in place. */
export function useTap(make: () => Tap, listener: Listener) {
  const status = getContext<PanelStatus>(KEY);
  let handle: TapHandle | undefined;
  let sent: Tap | undefined;
  let frames = 0;
  const use = $state<{ tapped: Tapped | undefined }>({ tapped: undefined });

  const active = $derived(status.visible && !dashboard.frozen);

  $effect(() => {
    // A graph that was started anew has no taps.
    void dashboard.starts;
    if (!active) return;
    sent = untrack(make);
    handle = dashboard.link.tap(sent, {
      frame(frame) {
        frames++;
        status.lost += frame.lost;
        listener.frame?.(frame);
      },
      log(log) {
        frames++;
        status.lost += log.lost;
        listener.rows?.(log.rows);
      },
      tapped(tapped) {
        status.error = undefined;
        use.tapped = tapped;
        listener.tapped?.(tapped);
      },
      error(sentence) {
        status.error = sentence;
      },
    });
    let since = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      status.framesPerSecond = (frames * 1000) / (now - since);
      [frames, since] = [0, now];
    }, 1000);
    return () => {
      clearInterval(timer);
      handle?.close();
      handle = undefined;
      status.framesPerSecond = 0;
    };
  });

  $effect(() => {
    const wanted = make();
    if (!handle || !sent) return;
    const fields = changed(sent, wanted);
    if (Object.keys(fields).length > 0) handle.change(fields);
    sent = wanted;
  });

  return use;
}

/** The fields of `after` that differ from `before`. One that is gone is null. */
export function changed(before: Tap, after: Tap): Partial<Tap> {
  const fields: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Tap>) {
    if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) fields[key] = after[key] ?? null;
  }
  return fields as Partial<Tap>;
}
