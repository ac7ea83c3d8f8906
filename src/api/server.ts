import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { isMediaUpgrade } from '../calls/web/upgrade-request.ts';
import { auditRequests } from './audit/audited-requests.ts';
import { boundKeylessBodies } from './connections/keyless-body.ts';
import { OpenConnections } from './connections/open-connections.ts';
import { boundPipelinedRequests } from './connections/pipelined-requests.ts';
import { sharePublicPayloads } from './connections/shared-payloads.ts';
import type { Api, ApiDependencies, RouteContext } from './context/route-context.ts';
import { addOpenApi } from './document/openapi.ts';
import { refuseTunnel, sendClientError } from './errors/client-error.ts';
import { sendError, sendNotFound } from './errors/error-response.ts';
import { compileValidator } from './errors/validation.ts';
import { authenticator, confirmKeys, errorOf } from './requests/authentication.ts';
import { addBodyParsers } from './requests/body-parsers.ts';
import { addIdempotency } from './requests/idempotency.ts';
import { LocalRateLimiter } from './requests/local-rate-limiter.ts';
import { collectMethods } from './requests/other-methods.ts';
import type { RateLimiter } from './requests/rate-limiter.ts';
import { SharedRateLimiter } from './requests/shared-rate-limiter.ts';
import { agentTestRoutes } from './routes/agent-tests.ts';
import { agentVersionRoutes } from './routes/agent-versions.ts';
import { agentRoutes } from './routes/agents.ts';
import { analyticsRoutes } from './routes/analytics.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { auditLogRoutes } from './routes/audit-log.ts';
import { callRecordRoutes } from './routes/call-records.ts';
import { callTapeRoutes } from './routes/call-tape.ts';
import { callTimelineRoutes } from './routes/call-timeline.ts';
import { callTraceRoutes } from './routes/call-traces.ts';
import { callRoutes } from './routes/calls.ts';
import { consoleRoutes } from './routes/console.ts';
import { healthRoutes } from './routes/health.ts';
import { knowledgeBaseRoutes } from './routes/knowledge-bases.ts';
import { addKnowledgeSourceRoutes } from './routes/knowledge-sources.ts';
import { knowledgeTextRoutes } from './routes/knowledge-texts.ts';
import { liveCallRoutes } from './routes/live-calls.ts';
import { phoneNumberRoutes } from './routes/phone-numbers.ts';
import { postCallQuestionRoutes } from './routes/post-call-questions.ts';
import { providerRoutes } from './routes/providers.ts';
import { recordingRoutes } from './routes/recordings.ts';
import { serviceRoutes } from './routes/service.ts';
import { sipRefusalRoutes } from './routes/sip-refusals.ts';
import { sipTrunkRoutes } from './routes/sip-trunks.ts';
import { webCallRoutes } from './routes/web-calls.ts';
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts';

const BODY_BYTES_MAX = 1_048_576;
/** Time limit for the headers of a request, ms, also on a connection that sends nothing: the client is not authenticated. */
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval in which Node checks these time limits, ms. */
const TIMEOUT_CHECK_INTERVAL_MS = 1_000;
/** Time limit for a whole request, ms: an upload of twenty 20 MiB files needs 6 Mbit/s. */
const REQUEST_TIMEOUT_MS = 600_000;
/** Time that requests in progress get at shutdown, ms. */
export const CLOSE_TIMEOUT_MS = 2_000;
/** Interval of closing idle connections during shutdown, ms. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** Lets only events of the catalogue into the log, not the sentences of Fastify. */
function logOptions(logger: FastifyBaseLogger) {
  // `service started` has the addresses, which Fastify logs at `info`.
  const serverLogger: FastifyBaseLogger = Object.assign(logger.child({}), { info: () => {} });
  const childLoggerFactory: FastifyInstance['childLoggerFactory'] = (_serverLogger, bindings, options) =>
    logger.child(bindings, options);
  // The log lines of Fastify contain the URL, whose query can contain phone numbers.
  const logController = new LogController({ disableRequestLogging: true });
  return { loggerInstance: serverLogger, childLoggerFactory, logController };
}

/** The HTTP API, ready for `listen` or `inject`. */
export async function createServer(dependencies: ApiDependencies): Promise<FastifyInstance> {
  const { clock, connectionsMax, logger, nodeId, publicUrl, repositories, webCalls } = dependencies;
  const app: FastifyInstance = Fastify({
    ...logOptions(logger),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // A path that cannot be decoded fails before the error handler applies.
    frameworkErrors: sendError,
    // Requests with other Upgrade headers, such as h2c of curl, are handled as plain HTTP/1.1.
    http: {
      shouldUpgradeCallback: isMediaUpgrade,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
    },
    clientErrorHandler: sendClientError,
  });
  const connections = new OpenConnections(connectionsMax);
  app.server.on('connection', (socket) => connections.add(socket));
  app.server.on('upgrade', (request, socket, head) => {
    connections.hold(request.socket);
    webCalls.upgrade(request, socket, head);
  });
  app.server.on('connect', refuseTunnel);
  closeConnections(app);
  app.decorateRequest('apiKey', null);
  boundPipelinedRequests(app);
  const refuseOtherMethods = collectMethods(app);
  boundKeylessBodies(app, clock);
  sharePublicPayloads(app);
  addBodyParsers(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(dependencies.compileSerializer ?? (() => JSON.stringify));
  app.setErrorHandler(async (error, request, reply) => {
    sendError(await errorOf(request, error), request, reply);
    return reply;
  });
  app.setNotFoundHandler(sendNotFound);
  logResponses(app);
  confirmKeys(app);
  auditRequests(app, dependencies.audit, clock);
  const heedIdempotencyKey = addIdempotency(app, dependencies);
  await repositories.idempotency.releaseAll();
  if (dependencies.docs) await addOpenApi(app, publicUrl);
  consoleRoutes(app, dependencies.docs);

  const api: Api = app.withTypeProvider<ZodTypeProvider>();
  const context = {
    ...dependencies,
    authenticate: authenticator(repositories.organizations, rateLimiterOf(dependencies), connections, nodeId),
    connections,
    heedIdempotencyKey,
  };
  addRoutes(api, context);
  await addKnowledgeSourceRoutes(app, context);
  refuseOtherMethods();
  await app.ready();
  return app;
}

function rateLimiterOf({ clock, logger, rateLimits: limits, sharedRequests }: ApiDependencies): RateLimiter {
  if (sharedRequests === null) return new LocalRateLimiter(limits, clock.wallMs);
  return new SharedRateLimiter({
    limits,
    shared: sharedRequests,
    clock,
    onFault: (name, error) => logger.warn({ err: error, name }, 'shared limit unavailable'),
  });
}

function addRoutes(api: Api, context: RouteContext): void {
  healthRoutes(api, context);
  analyticsRoutes(api, context);
  agentRoutes(api, context);
  agentVersionRoutes(api, context);
  agentTestRoutes(api, context);
  callRoutes(api, context);
  callRecordRoutes(api, context);
  liveCallRoutes(api, context);
  callTapeRoutes(api, context);
  callTimelineRoutes(api, context);
  callTraceRoutes(api, context);
  webCallRoutes(api, context);
  recordingRoutes(api, context);
  phoneNumberRoutes(api, context);
  postCallQuestionRoutes(api, context);
  knowledgeBaseRoutes(api, context);
  knowledgeTextRoutes(api, context);
  sipTrunkRoutes(api, context);
  sipRefusalRoutes(api, context);
  webhookDeliveryRoutes(api, context);
  apiKeyRoutes(api, context);
  auditLogRoutes(api, context);
  providerRoutes(api, context);
  serviceRoutes(api, context);
}

/** One line for each request, with its route pattern: a URL can contain phone numbers. */
function logResponses(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const ms = Math.round(reply.elapsedTime);
    request.log.info({ method, route: routeOptions.url, status: reply.statusCode, ms }, 'request completed');
  });
}

/**
 * Keeps idle connections from delaying the shutdown. Node itself waits a minute for connections that have not sent a request.
 */
function closeConnections(app: FastifyInstance): void {
  const { server } = app;
  app.addHook('preClose', async () => {
    if (!server.listening) return;
    const interval = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
    const timeout = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
    server.once('close', () => {
      clearInterval(interval);
      clearTimeout(timeout);
    });
  });
}
