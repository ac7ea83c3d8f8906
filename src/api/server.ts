import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Api, ApiDependencies } from './api.ts';
import { authenticator } from './authentication.ts';
import { addBodyParsers } from './body-parsers.ts';
import { answerError, answerNotFound } from './error-answer.ts';
import { addIdempotency } from './idempotency.ts';
import { addOpenApi } from './openapi.ts';
import { RateLimiter } from './rate-limiter.ts';
import { agentVersionRoutes } from './routes/agent-versions.ts';
import { agentRoutes } from './routes/agents.ts';
import { callRecordRoutes } from './routes/call-records.ts';
import { callRoutes } from './routes/calls.ts';
import { healthRoutes } from './routes/health.ts';
import { knowledgeBaseRoutes } from './routes/knowledge-bases.ts';
import { addKnowledgeSourceRoutes } from './routes/knowledge-sources.ts';
import { liveCallRoutes } from './routes/live-calls.ts';
import { phoneNumberRoutes } from './routes/phone-numbers.ts';
import { postCallQuestionRoutes } from './routes/post-call-questions.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { sipTrunkRoutes } from './routes/sip-trunks.ts';
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts';
import { compileValidator } from './validation.ts';

const BODY_BYTES_MAX = 1_048_576;
/** A client that sends its request slower than this is cut off, ms. */
const REQUEST_TIMEOUT_MS = 30_000;

/** The HTTP API, ready to listen or to be asked by `inject`. */
export async function createServer(dependencies: ApiDependencies): Promise<FastifyInstance> {
  const { clock, logger, publicUrl, rateLimits, repositories } = dependencies;
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    // Fastify's own lines hold the URL, and a query can hold phone numbers.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A path that cannot be decoded is met before any handler of errors.
    frameworkErrors: answerError,
    // Idle keep-alive connections must not hold a drain up.
    forceCloseConnections: 'idle',
  });
  app.decorateRequest('apiKey', null);
  addBodyParsers(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, route: routeOptions.url, status: reply.statusCode, ms }, 'request');
  });
  addIdempotency(app, dependencies);
  await repositories.idempotency.releaseAll();
  await addOpenApi(app, publicUrl);

  const api: Api = app.withTypeProvider<ZodTypeProvider>();
  const limiter = new RateLimiter(rateLimits, clock.wallMs);
  const context = { ...dependencies, authenticate: authenticator(repositories.organizations, limiter) };
  healthRoutes(api, dependencies);
  agentRoutes(api, context);
  agentVersionRoutes(api, context);
  callRoutes(api, context);
  callRecordRoutes(api, context);
  liveCallRoutes(api, context);
  recordingRoutes(api, context);
  phoneNumberRoutes(api, context);
  postCallQuestionRoutes(api, context);
  knowledgeBaseRoutes(api, context);
  await addKnowledgeSourceRoutes(app, context);
  sipTrunkRoutes(api, context);
  webhookDeliveryRoutes(api, context);
  await app.ready();
  return app;
}
