import { WebSocket } from 'ws';
import { z } from 'zod';
import { Watchers } from '../../watchers.ts';
import type { TestService } from './test-service.ts';

const FRAME_BYTES = 640;
const FRAME_MS = 20;

const messageSchema = z.looseObject({ type: z.string() });
export type ReceivedMessage = z.output<typeof messageSchema>;

const createdSchema = z.object({ call_id: z.string(), access_token: z.string(), media_url: z.string() });

export function createWebCall(
  { api }: Pick<TestService, 'api'>,
  agentId: string,
  more: object = {},
): Promise<z.output<typeof createdSchema>> {
  return api.requestOk(createdSchema, 'POST', '/v1/calls/web', { agent_id: agentId, ...more });
}

/** The WebSocket client of a browser call: sends audio at the pace of a microphone, and keeps all messages. */
export class WebCaller {
  readonly socket: WebSocket;
  readonly messages: ReceivedMessage[] = [];
  readonly frames: Buffer[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  /** HTTP status of a refused handshake. */
  readonly refused: Promise<number>;
  readonly #watchers = new Watchers();
  #speaking: NodeJS.Timeout | null = null;

  constructor(url: string, options: { readonly origin?: string } = {}) {
    this.socket = new WebSocket(url, { ...options, perMessageDeflate: false });
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.frames.push(data);
      else this.messages.push(messageSchema.parse(JSON.parse(data.toString())));
      this.#watchers.check();
    });
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
    this.refused = new Promise((resolve) => {
      this.socket.on('unexpected-response', (request, response) => {
        resolve(response.statusCode ?? 0);
        request.destroy();
      });
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => this.mute());
  }

  /** Sends these samples at 16 kHz and then silence, in frames of 20 ms. */
  speak(samples: Int16Array = new Int16Array(0)): void {
    this.mute();
    const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
    const startMs = performance.now();
    let sent = 0;
    this.#speaking = setInterval(() => {
      for (; sent < (performance.now() - startMs) / FRAME_MS; sent++) {
        const frame = Buffer.alloc(FRAME_BYTES);
        bytes.subarray(sent * FRAME_BYTES, (sent + 1) * FRAME_BYTES).copy(frame);
        if (this.socket.readyState === WebSocket.OPEN) this.socket.send(frame);
      }
    }, FRAME_MS);
  }

  /** Stops sending. */
  mute(): void {
    if (this.#speaking !== null) clearInterval(this.#speaking);
    this.#speaking = null;
  }

  /** Resolves once `holds` returns true. It is called after each message. */
  until(holds: () => boolean): Promise<void> {
    return this.#watchers.until(holds);
  }

  async message(type: string): Promise<ReceivedMessage> {
    const find = () => this.messages.find((message) => message.type === type);
    await this.until(() => find() !== undefined);
    return find() ?? { type };
  }

  /** The latest text of each role. */
  transcript(): string[] {
    const entries = new Map<unknown, string>();
    for (const { type, entry } of this.messages) {
      const read = entrySchema.safeParse(entry);
      if (type === 'transcript' && read.success)
        entries.set(read.data.sequence, `${read.data.role}: ${read.data.content}`);
    }
    return [...entries.values()];
  }

  /** All received audio, as samples at 16 kHz. */
  heard(): Int16Array {
    const bytes = Buffer.concat(this.frames);
    return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  }
}

const entrySchema = z.looseObject({ sequence: z.number(), role: z.string(), content: z.string() });
