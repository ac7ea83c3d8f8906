import { type AuditLogRepository, createAuditLogRepository } from './access/audit-log-repository.ts';
import { createIdempotencyRepository, type IdempotencyRepository } from './access/idempotency-repository.ts';
import { createMasterKeyProofRepository, type MasterKeyProofRepository } from './access/master-key-proof-repository.ts';
import { createMasterKeyRepository, type MasterKeyRepository } from './access/master-key-repository.ts';
import { createOrganizationRepository, type OrganizationRepository } from './access/organization-repository.ts';
import { type AgentRepository, createAgentRepository } from './agents/agent-repository.ts';
import { type AnalyticsRepository, createAnalyticsRepository } from './analytics/analytics-repository.ts';
import { createRollupRepository, type RollupRepository } from './analytics/rollup-repository.ts';
import { type CallDeletionRepository, createCallDeletionRepository } from './calls/call-deletion-repository.ts';
import { type CallListRepository, createCallListRepository } from './calls/call-list-repository.ts';
import { type CallRepository, createCallRepository } from './calls/call-repository.ts';
import { createJournalRepository, type JournalRepository } from './calls/journal-repository.ts';
import { createOpenWorkRepository, type OpenWorkRepository } from './calls/open-work-repository.ts';
import { createNodeAnswerRepository, type NodeAnswerRepository } from './cluster/node-answer-repository.ts';
import { createNodeCommandRepository, type NodeCommandRepository } from './cluster/node-command-repository.ts';
import { createNodeReportRepository, type NodeReportRepository } from './cluster/node-report-repository.ts';
import { createNodeRepository, type NodeRepository } from './cluster/node-repository.ts';
import { createSharedLimitRepository, type SharedLimitRepository } from './cluster/shared-limit-repository.ts';
import type { Database } from './database/database.ts';
import { type CallEventRepository, createCallEventRepository } from './events/call-event-repository.ts';
import { createOutboxRepository, type OutboxRepository } from './events/outbox-repository.ts';
import {
  createWebhookDeliveryRepository,
  type WebhookDeliveryRepository,
} from './events/webhook-delivery-repository.ts';
import { createWebhookSecretRepository, type WebhookSecretRepository } from './events/webhook-secret-repository.ts';
import { createKnowledgeBaseRepository, type KnowledgeBaseRepository } from './knowledge/knowledge-base-repository.ts';
import {
  createKnowledgeChunkRepository,
  type KnowledgeChunkRepository,
} from './knowledge/knowledge-chunk-repository.ts';
import {
  createKnowledgeVectorRepository,
  type KnowledgeVectorRepository,
} from './knowledge/knowledge-vector-repository.ts';
import {
  createPostCallQuestionRepository,
  type PostCallQuestionRepository,
} from './post-call/post-call-question-repository.ts';
import { createPostCallRepository, type PostCallRepository } from './post-call/post-call-repository.ts';
import { createPhoneNumberRepository, type PhoneNumberRepository } from './telephony/phone-number-repository.ts';
import { createSipTrunkRepository, type SipTrunkRepository } from './telephony/sip-trunk-repository.ts';
import { createTrunkContactRepository, type TrunkContactRepository } from './telephony/trunk-contact-repository.ts';

/** All repositories of one database. */
export interface Repositories {
  readonly auditLog: AuditLogRepository;
  readonly organizations: OrganizationRepository;
  readonly agents: AgentRepository;
  readonly calls: CallRepository;
  readonly callEvents: CallEventRepository;
  readonly callDeletion: CallDeletionRepository;
  readonly callLists: CallListRepository;
  readonly journal: JournalRepository;
  readonly outbox: OutboxRepository;
  readonly webhookDeliveries: WebhookDeliveryRepository;
  readonly webhookSecrets: WebhookSecretRepository;
  readonly phoneNumbers: PhoneNumberRepository;
  readonly sipTrunks: SipTrunkRepository;
  readonly trunkContacts: TrunkContactRepository;
  readonly idempotency: IdempotencyRepository;
  readonly knowledgeBases: KnowledgeBaseRepository;
  readonly knowledgeChunks: KnowledgeChunkRepository;
  readonly knowledgeVectors: KnowledgeVectorRepository;
  readonly postCall: PostCallRepository;
  readonly postCallQuestions: PostCallQuestionRepository;
  readonly masterKeyProof: MasterKeyProofRepository;
  readonly masterKeys: MasterKeyRepository;
  readonly nodes: NodeRepository;
  readonly nodeAnswers: NodeAnswerRepository;
  readonly nodeCommands: NodeCommandRepository;
  readonly nodeReports: NodeReportRepository;
  readonly openWork: OpenWorkRepository;
  readonly rollups: RollupRepository;
  readonly sharedLimits: SharedLimitRepository;
  readonly analytics: AnalyticsRepository;
}

/** `nodeId` identifies this process if others share the database. */
export function createRepositories(database: Database, nodeId: string | null = null): Repositories {
  return {
    auditLog: createAuditLogRepository(database),
    organizations: createOrganizationRepository(database),
    agents: createAgentRepository(database),
    calls: createCallRepository(database, nodeId),
    callEvents: createCallEventRepository(database),
    callDeletion: createCallDeletionRepository(database),
    callLists: createCallListRepository(database),
    journal: createJournalRepository(database),
    outbox: createOutboxRepository(database),
    webhookDeliveries: createWebhookDeliveryRepository(database),
    webhookSecrets: createWebhookSecretRepository(database),
    phoneNumbers: createPhoneNumberRepository(database),
    sipTrunks: createSipTrunkRepository(database),
    trunkContacts: createTrunkContactRepository(database),
    idempotency: createIdempotencyRepository(database, nodeId),
    knowledgeBases: createKnowledgeBaseRepository(database),
    knowledgeChunks: createKnowledgeChunkRepository(database),
    knowledgeVectors: createKnowledgeVectorRepository(database),
    postCall: createPostCallRepository(database),
    postCallQuestions: createPostCallQuestionRepository(database),
    masterKeyProof: createMasterKeyProofRepository(database),
    masterKeys: createMasterKeyRepository(database),
    nodes: createNodeRepository(database),
    nodeAnswers: createNodeAnswerRepository(database),
    nodeCommands: createNodeCommandRepository(database),
    nodeReports: createNodeReportRepository(database),
    openWork: createOpenWorkRepository(database),
    rollups: createRollupRepository(database),
    sharedLimits: createSharedLimitRepository(database),
    analytics: createAnalyticsRepository(database),
  };
}
