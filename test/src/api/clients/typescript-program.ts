/** Writes an agent, reads it, sends it back, and stages a call, with the types that openapi-typescript generated. */
export const TYPESCRIPT_PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './client.ts';

type State = components['schemas']['State'];

const [baseUrl = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key } });

function must<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const greeting: State = {
  name: 'greeting',
  tools: [{ type: 'hang_up', name: 'bye' }],
  transitions: [{ condition: 'The user wants a table.', destination_state_name: 'booking' }],
};
const body = { name: 'Desk', states: [greeting, { name: 'booking' }], initial_state_name: 'greeting' };
const { id } = must(await client.POST('/v1/agents', { body })).data;
const path = { id };
const [state] = must(await client.GET('/v1/agents/{id}', { params: { path } })).data.states;
if (state?.tools?.[0]?.type !== 'hang_up') throw new Error(JSON.stringify(state));
const states = [{ ...state, prompt: 'Say hello.' }, { name: 'booking' }];
const updated = must(await client.PATCH('/v1/agents/{id}', { params: { path }, body: { states } }));
if (updated.data.version !== 2) throw new Error(updated.message);

const order = { from_number: '+4915112345678', to_number: '+493012345678', agent_id: id };
const staged = must(await client.POST('/v1/calls/stage', { params: { query: { sync: true } }, body: order }));
const call = must(await client.GET('/v1/calls/{id}', { params: { path: { id: staged.data.call_id } } }));

const refused = await client.POST('/v1/agents', { body: { ...body, name: '' } });
console.log(call.data.status, refused.error?.error.type, refused.error?.error.details?.[0]?.field);
`;
