import { useEffect, useState, useSyncExternalStore } from 'react';
import { WebCall } from './connection/web-call.ts';
import type { WebCallState } from './connection/web-call-state.ts';

/** The web call of a page. Leaving the page hangs up. */
export function useWebCall(): { readonly call: WebCall; readonly state: WebCallState } {
  const [call] = useState(() => new WebCall());
  const state = useSyncExternalStore(call.subscribe, call.state);
  useEffect(() => {
    const leave = () => call.close();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [call]);
  return { call, state };
}
