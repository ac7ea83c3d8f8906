import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ListenScript } from '../providers/deepgram/listen.ts';
import type { ChatBody } from '../providers/openai/chat-emulator.ts';
import type { ChatAnswer } from '../providers/openai/chat-script.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';
import { TlsFiles } from '../sip/server/tls-files.ts';
import { Baresip, type BaresipOptions } from './baresip.ts';
import { transcribedSamples } from './heard-tone.ts';

export type Transport = 'udp' | 'tcp' | 'tls';

/** Options of the emulated providers. */
export interface BedConversation {
  readonly listen?: ListenScript;
  readonly chat?: (body: ChatBody, nth: number) => ChatAnswer;
}

/** The service with TLS, providers on loopback, and any number of baresip clients. */
export class BaresipBed {
  readonly test: TestService;
  readonly providers: EmulatedProviders;
  readonly #files: TlsFiles;
  readonly #certificate: string;

  static async open(conversation: BedConversation = {}): Promise<BaresipBed> {
    const files = new TlsFiles();
    const providers = await startEmulatedProviders({ ...conversation, keepAudio: true });
    const { certificatePath, keyPath } = files.certificate('trunkline', ['IP:127.0.0.1']);
    const test = await startTestService({
      ...providers.environment,
      SIP_TLS_CERT: certificatePath,
      SIP_TLS_KEY: keyPath,
      SIP_TLS_PORT: '0',
      SIP_TLS_CA: files.authorityPath,
      // The concurrent calls of a test file all poll the API, each twenty times a second.
      RATE_LIMIT_PER_MINUTE: '100000',
      RATE_LIMIT_PER_HOUR: '100000',
    });
    const peer = files.certificate('baresip', ['IP:127.0.0.1']);
    const certificate = join(files.folder, 'baresip-both.pem');
    await writeFile(certificate, `${await readFile(peer.certificatePath)}\n${await readFile(peer.keyPath)}`);
    return new BaresipBed(test, providers, files, certificate);
  }

  private constructor(test: TestService, providers: EmulatedProviders, files: TlsFiles, certificate: string) {
    this.test = test;
    this.providers = providers;
    this.#files = files;
    this.#certificate = certificate;
  }

  async close(): Promise<void> {
    await this.test.close();
    await this.providers.close();
    this.#files.remove();
  }

  baresip(options: BaresipOptions): Promise<Baresip> {
    return Baresip.start({ ...options, authority: this.#files.authorityPath, certificate: this.#certificate });
  }

  /** The URI at which a baresip dials this number of the service. */
  dialTarget(number: string, transport: Transport): string {
    const port = this.test.service.signalling.addresses.find((address) => address.transport === transport)?.port;
    return `sip:${number}@127.0.0.1:${port};transport=${transport}`;
  }

  /** Creates a trunk to a baresip. @returns its id. */
  async trunkTo(baresip: Baresip, transport: Transport, more: object = {}): Promise<string> {
    const { id } = await this.test.api.requestOk(z.looseObject({ id: z.string() }), 'POST', '/v1/sip-trunks', {
      name: 'Baresip',
      // baresip listens for TLS on its port + 1.
      termination_uri: `127.0.0.1:${transport === 'tls' ? baresip.sipPort + 1 : baresip.sipPort}`,
      transport,
      ...more,
    });
    return id;
  }

  async number(number: string, more: object): Promise<void> {
    await this.test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number, name: number, ...more });
  }

  /** The only call to or from this number. */
  callOf(query: 'to_number' | 'from_number', number: string): Promise<string> {
    return eventually(async () => {
      const rows = z.array(z.looseObject({ id: z.string() }));
      const path = `/v1/calls?${query}=${encodeURIComponent(number)}`;
      const [call] = await this.test.api.requestOk(rows, 'GET', path);
      if (call === undefined) throw new Error(`no call of ${number}`);
      return call.id;
    });
  }

  /** The audio sent to the transcriber so far, for the agent with this word in `custom_vocabulary`. */
  transcribed(word: string): {
    readonly samples: Int16Array;
    readonly rateHz: number;
    readonly encoding: string | null;
  } {
    const listen = this.providers.deepgram.listens.find(({ query }) => query.getAll('keyterm').includes(word));
    const encoding = listen?.query.get('encoding') ?? null;
    const rateHz = Number(listen?.query.get('sample_rate') ?? '8000');
    return { samples: transcribedSamples(listen?.audio ?? [], encoding), rateHz, encoding };
  }
}
