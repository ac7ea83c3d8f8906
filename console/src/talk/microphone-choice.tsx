import { useEffect, useId, useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { Notice } from '../ui/notice.tsx';
import { type AudioDevice, microphones } from './audio/microphone.ts';
import { faultOf, MicrophoneError, type MicrophoneFault } from './audio/microphone-fault.ts';
import type { WebCall } from './connection/web-call.ts';

interface MicrophoneChoiceProps {
  readonly call: WebCall;
  /** The one in use. */
  readonly deviceId: string | null;
}

/** The microphones of the computer, to change during the call. */
export function MicrophoneChoice({ call, deviceId }: MicrophoneChoiceProps) {
  const text = useText();
  const field = useId();
  const devices = useMicrophones();
  const [fault, setFault] = useState<MicrophoneFault | null>(null);
  const change = async (chosen: string) => {
    setFault(null);
    try {
      await call.changeMicrophone(chosen);
    } catch (error) {
      setFault(error instanceof MicrophoneError ? error.fault : faultOf(error));
    }
  };
  return (
    <div className="stack">
      <label htmlFor={field}>{text.talk.microphone}</label>
      <select id={field} value={deviceId ?? ''} onChange={({ target }) => void change(target.value)}>
        {devices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {fault !== null && <Notice tone="bad">{text.talk.microphoneFaults[fault]}</Notice>}
    </div>
  );
}

function useMicrophones(): readonly AudioDevice[] {
  const [devices, setDevices] = useState<readonly AudioDevice[]>([]);
  useEffect(() => {
    const read = () => void microphones().then(setDevices);
    read();
    navigator.mediaDevices.addEventListener('devicechange', read);
    return () => navigator.mediaDevices.removeEventListener('devicechange', read);
  }, []);
  return devices;
}
