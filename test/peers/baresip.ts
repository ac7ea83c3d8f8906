import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { encodeWav, PCM_WAV_HEADER_BYTES } from '../../base/audio/wav.ts';
import { makeTone } from '../rtp-peer/tone.ts';
import { eventually } from '../service/rig/eventually.ts';
import { freeSipPort } from './sip-port.ts';

/** A codec of baresip, and the format of its audio. */
export interface BaresipCodec {
  readonly module: string;
  /** The value of `audio_codecs` in the account. */
  readonly name: string;
  readonly rateHz: number;
  readonly channels: number;
}

export const G711: BaresipCodec = { module: 'g711', name: 'PCMU/8000/1,PCMA/8000/1', rateHz: 8_000, channels: 1 };
export const G722: BaresipCodec = { module: 'g722', name: 'G722/16000/1', rateHz: 16_000, channels: 1 };
export const OPUS: BaresipCodec = { module: 'opus', name: 'opus/48000/2', rateHz: 48_000, channels: 2 };

export interface BaresipOptions {
  /** User name of its account. */
  readonly user: string;
  readonly codec: BaresipCodec;
  /** The tone that it sends from start to exit. */
  readonly toneHz: number;
  /** PEM of the authority that signed the service's certificate. */
  readonly authority?: string;
  /** PEM of its own certificate and key, concatenated, for calls to it over TLS. */
  readonly certificate?: string;
  /** `srtp-mand`: requires SRTP (RTP/SAVP). `srtp`: offers keys with RTP/AVP. Default: plain. */
  readonly encryption?: 'srtp' | 'srtp-mand';
}

/** Name endings of the files in which its module `sndfile` keeps received and sent audio. */
const RECEIVED = '-dec.wav';
const SENT = '-enc.wav';
/** The longest run of a baresip. */
const LIFE_SECONDS_MAX = 120;
/** Length of its audio file. baresip ends a call at the end of the file. */
const SPEECH_MS = 30_000;

const messageSchema = z.union([
  z.object({ event: z.literal(true), type: z.string() }),
  z.object({ response: z.literal(true), ok: z.boolean() }),
]);

/**
 * A baresip without a sound card, controlled by commands. It sends a tone, stores the received audio, and accepts every
 * call.
 */
export class Baresip {
  readonly sipPort: number;
  readonly #codec: BaresipCodec;
  readonly #home: string;
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #control: Socket;
  readonly #events: string[] = [];
  #unread = Buffer.alloc(0);
  #output = '';

  static async start(options: BaresipOptions): Promise<Baresip> {
    const sipPort = await freeSipPort(4);
    const home = await writeHome(options, sipPort);
    const child = spawn('baresip', ['-4', '-f', home], {
      env: { ...process.env, TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const control = await eventually(() => {
      if (child.exitCode !== null) throw new Error(`baresip ended with ${child.exitCode}`);
      return connected(sipPort + 2);
    });
    return new Baresip(options.codec, sipPort, home, child, control);
  }

  private constructor(codec: BaresipCodec, sipPort: number, home: string, child: ChildProcess, control: Socket) {
    this.#codec = codec;
    this.sipPort = sipPort;
    this.#home = home;
    this.#process = child;
    this.#control = control;
    this.#closed = new Promise((resolve) => child.once('close', resolve));
    const keep = (chunk: Buffer) => {
      // Drops the status line, which baresip prints ten times a second.
      const text = chunk.toString('utf8').replace(/\[\d+:\d+:\d+\] audio=\S+ \(bit\/s\)\s*/g, '');
      this.#output = (this.#output + text).slice(-200_000);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    control.on('data', (bytes) => this.#read(bytes));
    control.on('error', () => {});
  }

  get output(): string {
    return this.#output;
  }

  /** Runs a command of its menu: `dial`, `hold`, `resume`, `hangup` and others. */
  command(command: string, params = ''): void {
    const text = JSON.stringify({ command, params, token: command });
    this.#control.write(`${Buffer.byteLength(text)}:${text},`);
  }

  /** Number of its events of this type so far: `CALL_ESTABLISHED`, `CALL_CLOSED`, `CALL_REMOTE_SDP` and others. */
  events(type: string): number {
    return this.#events.filter((event) => event === type).length;
  }

  /** Audio received so far, without gaps for lost packets: the first channel, at the codec's rate. */
  async heard(): Promise<Int16Array> {
    const names = (await readdir(this.#home)).filter((name) => name.endsWith(RECEIVED)).sort();
    const files = await Promise.all(names.map((name) => readFile(join(this.#home, name))));
    const { channels } = this.#codec;
    const bytes = Buffer.concat(files.map((file) => file.subarray(PCM_WAV_HEADER_BYTES)));
    const frames = Math.floor(bytes.length / (2 * channels));
    return Int16Array.from({ length: frames }, (_, i) => bytes.readInt16LE(2 * channels * i));
  }

  async stop(): Promise<void> {
    this.#control.destroy();
    this.#process.kill('SIGTERM');
    const limit = setTimeout(() => this.#process.kill('SIGKILL'), 3_000);
    await this.#closed;
    clearTimeout(limit);
  }

  /** Netstrings of JSON (its module `ctrl_tcp`). */
  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const colon = this.#unread.indexOf(':');
      const length = Number(this.#unread.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || this.#unread.length < colon + length + 2) return;
      const text = this.#unread.subarray(colon + 1, colon + 1 + length).toString('utf8');
      this.#unread = this.#unread.subarray(colon + length + 2);
      const message = messageSchema.parse(JSON.parse(text));
      if ('event' in message) this.#events.push(message.type);
    }
  }
}

async function writeHome(options: BaresipOptions, sipPort: number): Promise<string> {
  const { authority, certificate, codec, encryption, toneHz, user } = options;
  const home = await mkdtemp(join(tmpdir(), 'trunkline-baresip-'));
  await blockSentRecordings(home);
  await writeFile(join(home, 'speech.wav'), speech(toneHz, codec));
  const config = [
    'poll_method epoll',
    `sip_listen 127.0.0.1:${sipPort}`,
    'net_interface 127.0.0.1',
    'module_path /usr/lib/baresip/modules',
    `audio_source aufile,${join(home, 'speech.wav')}`,
    'audio_player aubridge,nil',
    `snd_path ${home}`,
    `ctrl_tcp_listen 127.0.0.1:${sipPort + 2}`,
    ...(authority === undefined ? [] : [`sip_cafile ${authority}`]),
    ...(certificate === undefined ? [] : [`sip_certificate ${certificate}`]),
    'module aufile.so',
    'module aubridge.so',
    'module sndfile.so',
    `module ${codec.module}.so`,
    ...(encryption === undefined ? [] : ['module srtp.so']),
    // Reads the accounts when loaded, and ignores features of modules that are loaded later.
    'module account.so',
    'module_app menu.so',
    'module_app ctrl_tcp.so',
  ];
  await writeFile(join(home, 'config'), `${config.join('\n')}\n`);
  const mediaEncryption = encryption === undefined ? '' : `;mediaenc=${encryption}`;
  const account = `<sip:${user}@127.0.0.1>;regint=0;answermode=auto;audio_codecs=${codec.name}${mediaEncryption}`;
  await writeFile(join(home, 'accounts'), `${account}\n`);
  await writeFile(join(home, 'contacts'), '');
  return home;
}

/**
 * A hold removes baresip's filters of received audio. It creates them again only if it has no filter of sent audio, so
 * that filter must fail: a folder in place of each of its files prevents it from writing.
 */
async function blockSentRecordings(home: string): Promise<void> {
  const nowMs = Date.now();
  const names = Array.from({ length: LIFE_SECONDS_MAX }, (_, second) => {
    const [date, time] = new Date(nowMs + 1000 * second).toISOString().slice(0, 19).split('T');
    return `dump-${date}-${time?.replaceAll(':', '-')}${SENT}`;
  });
  await Promise.all(names.map((name) => mkdir(join(home, name))));
}

function speech(toneHz: number, { channels, rateHz }: BaresipCodec): Uint8Array {
  const tone = makeTone(toneHz, SPEECH_MS, 4000, rateHz);
  const data = Int16Array.from({ length: tone.length * channels }, (_, i) => tone[Math.floor(i / channels)] ?? 0);
  const format = { encoding: 'linear16', sampleRateHz: rateHz } as const;
  return encodeWav({ format, channels, data: new Uint8Array(data.buffer) });
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket.off('error', reject)));
    socket.once('error', reject);
  });
}
