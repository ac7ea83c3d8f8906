import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PeerResult, runPeer } from './peer-process.ts';

export interface BaresipCall {
  /** Port of its SIP user agent; it takes the next one for TLS too. */
  readonly localPort: number;
  readonly target: string;
  /** What it says: a WAV, 16-bit, at the codec's rate and channels (8 kHz mono by default). It hangs up where it ends. */
  readonly speech: string;
  readonly seconds: number;
  /** The one codec that it offers. Default: G.711. */
  readonly codec?: { readonly module: string; readonly name: string };
  /** `srtp-mand`: it takes no call without SRTP (RTP/SAVP). `srtp`: it offers keys beside RTP/AVP. Default: plain. */
  readonly encryption?: 'srtp' | 'srtp-mand';
}

export interface BaresipReport extends PeerResult {
  /** WAV of what it received and of what it sent, null where it wrote none. */
  readonly received: string | null;
  readonly sent: string | null;
}

/** One call of baresip without a sound card: a file in, its received audio out. */
export async function baresipCall(call: BaresipCall): Promise<BaresipReport> {
  const home = await mkdtemp(join(tmpdir(), 'trunkline-baresip-'));
  const config = [
    'poll_method epoll',
    `sip_listen 127.0.0.1:${call.localPort}`,
    'net_interface 127.0.0.1',
    'module_path /usr/lib/baresip/modules',
    `audio_source aufile,${call.speech}`,
    'audio_player aubridge,nil',
    `snd_path ${home}`,
    'module aufile.so',
    'module aubridge.so',
    'module sndfile.so',
    `module ${call.codec?.module ?? 'g711'}.so`,
    ...(call.encryption === undefined ? [] : ['module srtp.so']),
    // Reads the accounts as it is loaded, and leaves out what no module before it brought.
    'module account.so',
    'module_app menu.so',
  ];
  await writeFile(join(home, 'config'), `${config.join('\n')}\n`);
  const codecs = call.codec === undefined ? '' : `;audio_codecs=${call.codec.name}`;
  const encryption = call.encryption === undefined ? '' : `;mediaenc=${call.encryption}`;
  await writeFile(join(home, 'accounts'), `<sip:baresip@127.0.0.1>;regint=0${codecs}${encryption}\n`);
  await writeFile(join(home, 'contacts'), '');
  const result = await runPeer('baresip', ['-4', '-f', home, '-t', String(call.seconds), '-e', `d ${call.target}`], {
    timeoutMs: (call.seconds + 15) * 1000,
  });
  const files = await readdir(home);
  const dump = (end: string) => {
    const name = files.find((file) => file.startsWith('dump-') && file.endsWith(end));
    return name === undefined ? null : join(home, name);
  };
  return { ...result, received: dump('-dec.wav'), sent: dump('-enc.wav') };
}
