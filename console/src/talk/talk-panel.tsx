import { useState } from 'react';
import { SERVICE_URL } from '../api/connection.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { callStatus } from './call-status.ts';
import type { WebCall } from './connection/web-call.ts';
import { isCallRunning, type Medium, type WebCallState } from './connection/web-call-state.ts';
import { Keypad } from './keypad.tsx';
import { Meters } from './meters.tsx';
import { MicrophoneChoice } from './microphone-choice.tsx';
import { TalkEntries } from './talk-entries.tsx';
import { TypedTextForm } from './typed-text-form.tsx';

interface TalkPanelProps {
  readonly call: WebCall;
  readonly state: WebCallState;
  /** Creates a call and resolves with its `media_url`. null: there is nothing to call. */
  readonly prepare: (() => Promise<string>) | null;
  /** Beside the buttons that start a call. */
  readonly children?: React.ReactNode;
}

/** A call to an agent in the browser, spoken or typed, with its transcript. */
export function TalkPanel({ call, state, prepare, children }: TalkPanelProps) {
  const text = useText();
  const isRunning = isCallRunning(state);
  const status = callStatus(state, text);
  return (
    <div className="talk stack">
      <p role={status.isFault ? 'alert' : 'status'} className={status.isFault ? 'talk-fault' : 'quiet'}>
        {status.line}
      </p>
      {isRunning ? <Controls call={call} state={state} /> : <Start call={call} prepare={prepare} />}
      {!isRunning && children}
      {(isRunning || state.entries.length > 0) && <TalkEntries entries={state.entries} />}
      {isRunning && (
        <TypedTextForm
          isDisabled={state.phase !== 'connected'}
          isChosen={state.medium === 'typing'}
          onTypedText={(typed) => call.write(typed)}
        />
      )}
    </div>
  );
}

function Start({ call, prepare }: Pick<TalkPanelProps, 'call' | 'prepare'>) {
  const text = useText();
  const start = (medium: Medium) => {
    if (prepare !== null) void call.start({ medium, deviceId: null, serviceUrl: SERVICE_URL, prepare });
  };
  return (
    <div className="row">
      <Button tone="main" disabled={prepare === null} onClick={() => start('microphone')}>
        {text.talk.callButton}
      </Button>
      <Button disabled={prepare === null} onClick={() => start('typing')}>
        {text.talk.writeButton}
      </Button>
    </div>
  );
}

function Controls({ call, state }: Pick<TalkPanelProps, 'call' | 'state'>) {
  const text = useText();
  const [hasKeypad, setKeypad] = useState(false);
  const isSpoken = state.medium === 'microphone';
  return (
    <>
      {isSpoken && <Meters call={call} />}
      <div className="row">
        {isSpoken && (
          <Button aria-pressed={state.isMuted} onClick={() => call.mute(!state.isMuted)}>
            {text.talk.mute}
          </Button>
        )}
        <Button aria-expanded={hasKeypad} onClick={() => setKeypad(!hasKeypad)}>
          {text.talk.keypad}
        </Button>
        <Button tone="bad" onClick={() => call.hangUp()}>
          {text.talk.hangUp}
        </Button>
      </div>
      {isSpoken && state.phase === 'connected' && <MicrophoneChoice call={call} deviceId={state.deviceId} />}
      {hasKeypad && <Keypad onDigit={(digit) => call.press(digit)} />}
    </>
  );
}
