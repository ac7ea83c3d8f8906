import { randomInt } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKey } from '../../../../src/secrets/api-key.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../../src/storage/access/organization-repository.ts';
import { newCall } from '../../storage/temporary-database.ts';
import { ADMIN_KEY, MINIMAL_AGENT, OTHER_ORGANIZATION_ID, type TestApi } from '../test-api.ts';

/** One resource of each kind. */
export interface World {
  readonly agents: string;
  readonly questions: string;
  readonly numbers: string;
  readonly trunks: string;
  readonly knowledgeBases: string;
  readonly sources: string;
  /** An ended call with a recording and a tape. */
  readonly endedCalls: string;
  readonly liveCalls: string;
  readonly deliveries: string;
  readonly apiKeys: string;
}

export async function createWorld(api: TestApi, key = ADMIN_KEY): Promise<World> {
  const organizationId = key === ADMIN_KEY ? DEFAULT_ORGANIZATION_ID : OTHER_ORGANIZATION_ID;
  const create = async (url: string, body: unknown): Promise<{ id: string; number: string }> => {
    const answer = await api.ask('POST', url, body);
    if (answer.status >= 300) throw new Error(`POST ${url} answered ${JSON.stringify(answer.body)}`);
    return answer.body.data[0] ?? answer.body.data;
  };
  const receiver = { webhook_url: 'https://receiver.test/', webhook_subscriptions: ['event_call_ended'] };
  const agents = (await create('/v1/agents', { ...MINIMAL_AGENT, ...receiver })).id;
  const questions = await create(`/v1/agents/${agents}/post-call-questions`, {
    questions: [{ name: 'Why did the user call?', type: 'text' }],
  });
  const number = await create('/v1/phone-numbers', { number: freshNumber() });
  const trunk = await create('/v1/sip-trunks', { name: 'Carrier', termination_uri: 'sip.example.com' });
  const base = await create('/v1/knowledge-bases', { name: 'Prices' });
  const endedCalls = await endedCall(api, agents, organizationId);
  const [delivery] = (await api.ask('GET', `/v1/webhook-deliveries?call_id=${endedCalls}`)).body.data;
  return {
    agents,
    questions: questions.id,
    numbers: number.id,
    trunks: trunk.id,
    knowledgeBases: base.id,
    sources: await addSource(api, base.id, key),
    endedCalls,
    liveCalls: await liveCall(api, agents, organizationId),
    deliveries: delivery.id,
    apiKeys: await apiKey(api, organizationId),
  };
}

/** A random unused number in Berlin. */
export function freshNumber(): string {
  return `+4930${randomInt(1_000_000, 10_000_000)}`;
}

/** The resource that a path parameter refers to. An unknown path throws: add new endpoints here. */
export function resourceOf(path: string, parameter: string): keyof World {
  if (parameter === 'question_id') return 'questions';
  if (parameter === 'source_id') return 'sources';
  const [, , collection] = path.split('/');
  switch (collection) {
    case 'agents':
      return 'agents';
    case 'phone-numbers':
      return 'numbers';
    case 'sip-trunks':
      return 'trunks';
    case 'knowledge-bases':
      return 'knowledgeBases';
    case 'api-keys':
      return 'apiKeys';
    case 'webhook-deliveries':
      return 'deliveries';
    case 'calls':
      return /\/(say|transfer|context|terminate|pause|resume)$/.test(path) ? 'liveCalls' : 'endedCalls';
    default:
      throw new Error(`add the resource of {${parameter}} in ${path} to resourceOf`);
  }
}

/** The resource that an id field of a body refers to. null: an id that the client chooses. */
export function resourceOfField(field: string): keyof World | null {
  switch (field) {
    case 'agent_id':
    case 'inbound_agent_id':
      return 'agents';
    case 'trunk_id':
      return 'trunks';
    case 'knowledge_base_ids':
      return 'knowledgeBases';
    case 'source_ids':
      return 'sources';
    case 'id':
    case 'option_id':
      return null;
    default:
      throw new Error(`add the resource of the field ${field} to resourceOfField`);
  }
}

async function endedCall(api: TestApi, agentId: string, organizationId: string): Promise<string> {
  const { calls } = api.repositories;
  const call = newCall(agentId, { organizationId, status: 'in_progress', nowMs: api.clock.nowMs });
  const recordingPath = join('recordings', `${call.id}.wav`);
  await mkdir(join(api.dataDir, 'recordings'), { recursive: true });
  await writeFile(join(api.dataDir, recordingPath), 'RIFF');
  await cp('fixtures/calls/presence', join(api.dataDir, 'tapes', call.id), { recursive: true });
  await calls.createCall(call);
  const patch = { startMs: api.clock.nowMs, recordingPath, recordingComplete: true } as const;
  await calls.finish(call.id, { status: 'completed', endReason: 'caller_hangup', atMs: api.clock.nowMs, patch });
  const dueJobs = await api.repositories.postCall.due(api.clock.nowMs, 100);
  for (const { callId } of dueJobs) await api.repositories.postCall.finish(callId, [], api.clock.nowMs);
  return call.id;
}

async function liveCall(api: TestApi, agentId: string, organizationId: string): Promise<string> {
  const call = newCall(agentId, { organizationId, status: 'ringing', nowMs: api.clock.nowMs });
  await api.repositories.calls.createCall(call);
  await api.repositories.calls.setStatus(call.id, { from: ['ringing'], to: 'in_progress', atMs: api.clock.nowMs });
  return call.id;
}

async function apiKey({ clock, repositories }: TestApi, organizationId: string): Promise<string> {
  const wanted = { organizationId, name: 'robot', scopes: ['read'], nowMs: clock.nowMs } as const;
  return (await createApiKey(repositories.organizations, wanted)).record.id;
}

async function addSource(api: TestApi, baseId: string, key: string): Promise<string> {
  const form = new FormData();
  form.append('text_sources', JSON.stringify([{ title: 'Rooms', content: 'A room is 90 euros.' }]));
  const { payload, contentType } = await multipart(form);
  const headers = { 'x-api-key': key, 'content-type': contentType };
  const url = `/v1/knowledge-bases/${baseId}/sources`;
  return (await api.app.inject({ method: 'POST', url, headers, payload })).json().data.sources[0].id;
}

export async function multipart(form: FormData): Promise<{ readonly payload: Buffer; readonly contentType: string }> {
  const request = new Request('http://calls.test', { method: 'POST', body: form });
  const contentType = request.headers.get('content-type') ?? '';
  return { payload: Buffer.from(await request.arrayBuffer()), contentType };
}
