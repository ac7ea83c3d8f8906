import { useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { TalkPanel } from './talk-panel.tsx';
import { useWebCall } from './use-web-call.ts';

/** The page of a prepared call, for a user without a key. Its address is valid for one call. */
export function GuestPage({ mediaUrl }: { readonly mediaUrl: string }) {
  const text = useText();
  const { call, state } = useWebCall();
  const [isTaken, setTaken] = useState(false);
  const take = async () => {
    setTaken(true);
    return mediaUrl;
  };
  return (
    <main className="page talk-page guest">
      <h1>Trunkline</h1>
      <div className="card stack">
        <p>{text.talk.invited}</p>
        <TalkPanel call={call} state={state} prepare={isTaken ? null : take} />
      </div>
    </main>
  );
}
