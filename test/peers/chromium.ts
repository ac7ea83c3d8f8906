import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { z } from 'zod';

const answerSchema = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const targetSchema = z.object({ targetId: z.string() });
const sessionSchema = z.object({ sessionId: z.string() });
const valueSchema = z.object({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z.looseObject({ text: z.string() }).optional(),
});

const entrySchema = z.object({ entry: z.looseObject({ level: z.enum(['warning', 'error']) }) });

/** A page of a headless browser. */
export interface Page {
  /** Evaluates an expression in the page and resolves with its awaited value, as JSON. */
  run(expression: string): Promise<unknown>;
  /** Resolves when an expression is true. */
  until(expression: string): Promise<void>;
  /** A screenshot as PNG. */
  screenshot(): Promise<Buffer>;
  send(method: string, params?: object): Promise<unknown>;
  /** The browser's warnings and errors about the page, and uncaught errors. */
  readonly complaints: readonly string[];
}

export interface Chromium {
  open(url: string, options?: { readonly beforeScripts?: string }): Promise<Page>;
  close(): Promise<void>;
}

/** Starts Chromium, driven by its DevTools protocol, with a microphone that repeats a WAV file. */
export async function startChromium(microphone: string): Promise<Chromium> {
  const profile = await mkdtemp(join(tmpdir(), 'trunkline-chromium-'));
  const child = spawn(
    'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--mute-audio',
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}`,
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const devTools = await DevTools.connect(await devToolsUrl(child));
  return {
    open: (url, { beforeScripts } = {}) => openPage(devTools, url, beforeScripts),
    close: async () => {
      devTools.close();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      // Helper processes of the browser may still write for a moment.
      await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

async function devToolsUrl({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('chromium has no output');
  let output = '';
  for await (const line of createInterface({ input: stderr })) {
    const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? [];
    // Discards further output, since a full pipe would block the browser.
    if (url !== undefined) {
      stderr.resume();
      return url;
    }
    output += `${line}\n`;
  }
  throw new Error(`chromium did not start:\n${output}`);
}

async function openPage(devTools: DevTools, url: string, beforeScripts: string | undefined): Promise<Page> {
  const { targetId } = targetSchema.parse(await devTools.send('Target.createTarget', { url: 'about:blank' }));
  const attached = await devTools.send('Target.attachToTarget', { targetId, flatten: true });
  const { sessionId } = sessionSchema.parse(attached);
  const send = (method: string, params: object = {}) => devTools.send(method, params, sessionId);
  const complaints: string[] = [];
  devTools.onEvent((method, params) => {
    const isFault = method === 'Log.entryAdded' && entrySchema.safeParse(params).success;
    if (isFault || method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params));
  });
  await send('Page.enable');
  await send('Runtime.enable');
  await send('Log.enable');
  if (beforeScripts !== undefined) await send('Page.addScriptToEvaluateOnNewDocument', { source: beforeScripts });
  const run = async (expression: string): Promise<unknown> => {
    const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result, exceptionDetails } = valueSchema.parse(await send('Runtime.evaluate', params));
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value;
  };
  const until = async (expression: string) => {
    // The page itself polls, so that a stall of the page does not cost polls.
    const look = `new Promise((done) => { const look = () => (${expression}) ? done(true) : setTimeout(look, 50); look(); })`;
    await run(look);
  };
  await send('Page.navigate', { url });
  await until(`location.href !== 'about:blank' && document.readyState === 'complete'`);
  return {
    run,
    until,
    send,
    complaints,
    screenshot: async () => {
      const { data } = z.object({ data: z.string() }).parse(await send('Page.captureScreenshot', { format: 'png' }));
      return Buffer.from(data, 'base64');
    },
  };
}

class DevTools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  readonly #listeners: ((method: string, params: unknown) => void)[] = [];
  #sent = 0;

  static async connect(url: string): Promise<DevTools> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, 'open');
    return new DevTools(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#take(String(data)));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('chromium has gone'));
    });
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    const id = ++this.#sent;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  onEvent(listener: (method: string, params: unknown) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(text: string): void {
    const { id, method, params, result, error } = answerSchema.parse(JSON.parse(text));
    if (id === undefined) {
      for (const listener of this.#listeners) listener(method ?? '', params);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }
}
