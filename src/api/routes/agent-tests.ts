import type { Api, RouteContext } from '../context/route-context.ts';
import { ApiError, notFound } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, failures, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import { agentTestAnswer, agentTestBody, agentTestRunSchema } from '../schemas/agent-test.ts';
import { idParams } from '../schemas/primitives.ts';

const RAN = 'Test file run';
const BUSY = 'Another test file is running on this node: retry after the number of seconds in the retry-after header';
/** Most runs take milliseconds: their models and functions are scripted. */
const RETRY_SECONDS = 2;

/** Runs test files against an agent. */
export function agentTestRoutes(api: Api, { agentTests, authenticate, repositories }: RouteContext): void {
  api.route({
    method: 'POST',
    url: '/v1/agents/:id/tests',
    onRequest: authenticate('write'),
    schema: {
      operationId: 'runTests',
      summary: 'Run a test file',
      description:
        'Runs the conversations of a test file against a version of the agent in text mode, as `trunkline test` does, and returns their ' +
        'results. With `model: script` and a result for each function nothing is sent anywhere. Otherwise the language model of the agent ' +
        'is asked, which costs as much as in a call, and functions are called over HTTP. An organization runs one file at a time on a ' +
        'node, for at most 50 seconds; another request returns 503. The end of the connection ends the run. Nothing is stored.',
      tags: ['Agents'],
      params: idParams('the agent'),
      body: agentTestBody,
      response: {
        200: envelopeOf(agentTestRunSchema, RAN),
        ...FAILURES,
        ...failures({ 404: 'Agent not found', 503: BUSY }),
      },
    },
    handler: async (request, reply) => {
      const organizationId = organizationOf(request);
      const agent = await repositories.agents.findInOrganization(organizationId, request.params.id);
      if (agent === null) throw notFound('Agent');
      const { content, version = agent.activeVersion } = request.body;
      const found = await repositories.agents.findVersion(agent.id, version);
      if (found === null) throw notFound('Version');
      const leave = new AbortController();
      reply.raw.once('close', () => leave.abort());
      if (reply.raw.destroyed) leave.abort();
      const { configuration } = found;
      const run = agentTests.run({ organizationId, configuration, content }, leave.signal);
      if (run === null) throw new ApiError('unavailable', { message: BUSY, retryAfterSeconds: RETRY_SECONDS });
      return success(200, RAN, agentTestAnswer(await run, version));
    },
  });
}
