import Fastify from 'fastify';
import { notifyParent, onParentCommand } from '../rig/parent-channel.ts';

/**
 * The upper bound: Fastify alone. GET returns the body of the service's response from memory; POST parses its JSON.
 * No API key, rate limit, schema, log or database.
 */
export type BareCommand = { readonly type: 'answer'; readonly answer: unknown };
export type BareNotice = { readonly type: 'started'; readonly url: string } | { readonly type: 'taken' };

let answer: unknown = {};
const app = Fastify();
app.get('/bare', async () => answer);
app.post('/bare', async (_request, reply) => {
  reply.status(201);
  return { status: 201, message: 'OK', data: { call_id: '8f14e45f-ceea-467f-9d1c-2b0a6c1f3a55' } };
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

onParentCommand((command: BareCommand) => {
  ({ answer } = command);
  notify({ type: 'taken' });
});
notify({ type: 'started', url: `${url}/bare` });

function notify(notice: BareNotice): void {
  notifyParent(notice);
}
