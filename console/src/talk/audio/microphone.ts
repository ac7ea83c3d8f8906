import { faultOf, MicrophoneError } from './microphone-fault.ts';

/** @param deviceId null: the browser chooses. @throws MicrophoneError */
export async function openMicrophone(deviceId: string | null): Promise<MediaStream> {
  // Browsers give microphone and audio thread to https and localhost only.
  if (!window.isSecureContext) throw new MicrophoneError('insecure');
  const chosen = deviceId === null ? {} : { deviceId: { exact: deviceId } };
  const audio = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...chosen };
  try {
    return await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    throw new MicrophoneError(faultOf(error));
  }
}

export interface AudioDevice {
  readonly id: string;
  readonly name: string;
}

/** The microphones of this computer. Their names are known once the user has allowed one. */
export async function microphones(): Promise<readonly AudioDevice[]> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== '')
    .map(({ deviceId, label }) => ({ id: deviceId, name: label }));
}
