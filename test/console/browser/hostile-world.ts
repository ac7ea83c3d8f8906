import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { call } from '../../caller/caller.ts';
import type { ChatBody } from '../../providers/openai/chat-emulator.ts';
import { errorAnswer, textAnswer, toolCallsAnswer } from '../../providers/openai/chat-script.ts';
import { type EmulatedProviders, heardLine, startEmulatedProviders } from '../../service/rig/emulated-providers.ts';
import { eventually } from '../../service/rig/eventually.ts';
import { dialIn, FROM, TO, talker } from '../../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../../service/rig/test-service.ts';
import { textPdf } from '../../src/background/knowledge/pdf.ts';

/** Markup, a script URL, a change of the writing direction, and an escape sequence of terminals. */
function markup(place: string): string {
  const act = `window.intruded='${place}'`;
  const elements = `<img src=x onerror="${act}"><script>${act}</script><svg/onload=${act}>`;
  return `${place} ">${elements} javascript:${act} \u202Egnp.\u001b[2J`;
}

/** Templates too, which prompts refuse. */
function hostile(place: string): string {
  const act = `window.intruded='${place}'`;
  return `${markup(place)} {{constructor.constructor("${act}")()}} \${${act}} <%= ${act} %>`;
}

/** For fields of at most 100 characters. */
function hostileName(place: string): string {
  return `${place} "><img src=x onerror="window.intruded=1"><svg/onload=window.intruded=1>\u202E`;
}

/** Without the escape sequence: a SIP message has no control characters. */
function inHeader(place: string): string {
  return hostile(place).replaceAll('\u001b', '');
}

const anything = z.looseObject({ id: z.string() });

export interface HostileWorld {
  readonly test: TestService;
  readonly callId: string;
  /** A call to a number whose headers became variables. */
  readonly headerCallId: string;
  readonly agentId: string;
  readonly baseId: string;
  close(): Promise<void>;
}

/** A service in which each text that others write tries to run a script in the console. */
export async function startHostileWorld(): Promise<HostileWorld> {
  const providers = await startHostileProviders();
  const outside = await startOutside();
  const test = await startTestService(providers.environment);
  const agentId = await createHostileAgent(test, outside.url);
  const callId = await makeHostileCall(test, agentId);
  const headerCallId = await makeCallWithHeaders(test, agentId);
  const baseId = await fillPages(test);
  return {
    test,
    callId,
    headerCallId,
    agentId,
    baseId,
    close: async () => {
      await test.close();
      await outside.close();
      await providers.close();
    },
  };
}

function startHostileProviders(): Promise<EmulatedProviders> {
  const lookup = { id: 'call-1', name: 'lookup', arguments: JSON.stringify({ seats: hostile('argument') }) };
  return startEmulatedProviders({
    listen: { steps: [...heardLine(hostile('speech'), 2_200, 3_400)] },
    chat: (body, nth) => {
      if (isPostCall(body)) return textAnswer(JSON.stringify({ q1: hostile('post-call-answer') }));
      // The first may be asked ahead of the end of the turn: its failure has no effect.
      if (nth < 2) return errorAnswer(500, { message: hostile('provider-error'), type: hostile('provider-error') });
      return nth === 2 ? toolCallsAnswer([lookup]) : textAnswer(hostile('answer'));
    },
  });
}

function isPostCall({ response_format: format }: ChatBody): boolean {
  return format?.type === 'json_schema' && format.json_schema.name === 'post_call_answers';
}

/** Answers functions with a hostile result, and refuses webhook events. */
async function startOutside() {
  const server = createServer((request, response) => {
    request.resume();
    const isFunction = request.url?.startsWith('/lookup') === true;
    response.writeHead(isFunction ? 200 : 500, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ found: hostile('tool-result') }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function createHostileAgent({ api }: TestService, outside: string): Promise<string> {
  const lookup = {
    type: 'custom_function',
    name: 'lookup',
    description: markup('tool-description'),
    url: `${outside}/lookup`,
    method: 'POST',
    parameters: [{ name: 'seats', type: 'string', description: markup('parameter') }],
  };
  const agent = talker({
    name: hostileName('agent-name'),
    base_prompt: markup('base-prompt'),
    initial_message: 'Good day.',
    states: [{ name: hostileName('state-name'), prompt: markup('state-prompt'), tools: [lookup] }],
    initial_state_name: hostileName('state-name'),
    webhook_url: `${outside}/hooks?${encodeURIComponent(hostile('webhook-url'))}`,
    webhook_subscriptions: ['event_call_ended'],
  });
  const { id } = await api.createAgent(agent);
  const questions = [{ name: hostileName('question'), description: hostile('question'), type: 'text' }];
  await api.requestOk(z.array(anything), 'POST', `/v1/agents/${id}/post-call-questions`, { questions });
  return id;
}

async function makeHostileCall(test: TestService, agentId: string): Promise<string> {
  const headers = { 'P-Asserted-Identity': '"<img src=x onerror=window.intruded=2>" <sip:1@127.0.0.1>' };
  const variables = { dynamic_variables_values: { guest: hostile('variable') } };
  const { callId, hangUp } = await dialIn(test, agentId, { headers }, variables);
  await test.api.requestOk(anything, 'PATCH', `/v1/calls/${callId}`, {
    metadata: { [hostileName('key')]: hostile('metadata') },
  });
  await eventually(async () => {
    const { transcript } = await test.api.call(callId);
    if (!transcript?.some(({ content, role }) => role === 'agent' && content.startsWith('answer')))
      throw new Error(`no answer: ${JSON.stringify(transcript)}`);
  });
  await hangUp();
  await test.api.callIn(callId, ['completed']);
  await eventually(async () => {
    const { post_call_answers: answers } = await test.api.call(callId);
    if (!Array.isArray(answers) || answers.length === 0) throw new Error('no post-call answer');
  });
  return callId;
}

/** @returns the id of a call whose hostile headers are its variables */
async function makeCallWithHeaders({ api, sipPort }: TestService, agentId: string): Promise<string> {
  await api.requestOk(anything, 'POST', '/v1/phone-numbers', {
    number: TO,
    name: hostileName('number-name'),
    inbound_agent_id: agentId,
    sip_header_variables: [
      { header: 'User-Agent', variable: 'device' },
      { header: 'Subject', variable: 'topic' },
    ],
  });
  const headers = { 'User-Agent': inHeader('user-agent'), Subject: inHeader('subject') };
  const target = { host: '127.0.0.1', port: sipPort };
  await call({ target, to: TO, from: FROM, headers, hangUp: { afterMs: 300 }, durationMsMax: 20_000 });
  const [latest] = await api.requestOk(z.array(anything), 'GET', '/v1/calls?limit=1');
  if (latest === undefined) throw new Error('the service has no call');
  await api.callIn(latest.id, ['completed']);
  return latest.id;
}

/** Creates the items that the other pages list. @returns the id of a knowledge base */
async function fillPages({ api, service }: TestService): Promise<string> {
  const trunk = { name: hostileName('trunk-name'), termination_uri: '192.0.2.1:5060' };
  await api.requestOk(anything, 'POST', '/v1/sip-trunks', trunk);
  await api.requestOk(anything, 'POST', '/v1/phone-numbers', { number: FROM, name: hostileName('number-name') });
  const { key } = await api.requestOk(z.looseObject({ key: z.string() }), 'POST', '/v1/api-keys', {
    name: hostileName('key-name'),
  });
  const { id } = await api.requestOk(anything, 'POST', '/v1/knowledge-bases', { name: hostileName('base-name') });
  const form = new FormData();
  const pdf = textPdf([{ text: 'The pool closes at nine.', size: 12, y: 700 }]);
  form.append(
    'file_sources',
    new Blob([Buffer.from(pdf)], { type: 'application/pdf' }),
    '<img src=x onerror=window.intruded=3>.pdf',
  );
  form.append('text_sources', JSON.stringify([{ title: hostileName('source-title'), content: hostile('passage') }]));
  await fetch(`${service.httpUrl}/v1/knowledge-bases/${id}/sources`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
  return id;
}
