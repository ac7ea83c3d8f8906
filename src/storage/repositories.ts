import { type AgentRepository, createAgentRepository } from './agent-repository.ts';
import { type CallDeletionRepository, createCallDeletionRepository } from './call-deletion-repository.ts';
import { type CallEventRepository, createCallEventRepository } from './call-event-repository.ts';
import { type CallListRepository, createCallListRepository } from './call-list-repository.ts';
import { type CallRepository, createCallRepository } from './call-repository.ts';
import type { Database } from './database.ts';
import { createIdempotencyRepository, type IdempotencyRepository } from './idempotency-repository.ts';
import { createJournalRepository, type JournalRepository } from './journal-repository.ts';
import { createKnowledgeBaseRepository, type KnowledgeBaseRepository } from './knowledge-base-repository.ts';
import { createKnowledgeChunkRepository, type KnowledgeChunkRepository } from './knowledge-chunk-repository.ts';
import { createKnowledgeVectorRepository, type KnowledgeVectorRepository } from './knowledge-vector-repository.ts';
import { createMasterKeyProofRepository, type MasterKeyProofRepository } from './master-key-proof-repository.ts';
import { createNodeOrderRepository, type NodeOrderRepository } from './node-order-repository.ts';
import { createNodeRepository, type NodeRepository } from './node-repository.ts';
import { createOrganizationRepository, type OrganizationRepository } from './organization-repository.ts';
import { createOutboxRepository, type OutboxRepository } from './outbox-repository.ts';
import { createPhoneNumberRepository, type PhoneNumberRepository } from './phone-number-repository.ts';
import { createPostCallQuestionRepository, type PostCallQuestionRepository } from './post-call-question-repository.ts';
import { createPostCallRepository, type PostCallRepository } from './post-call-repository.ts';
import { createSipTrunkRepository, type SipTrunkRepository } from './sip-trunk-repository.ts';
import { createWebhookDeliveryRepository, type WebhookDeliveryRepository } from './webhook-delivery-repository.ts';
import { createWebhookSecretRepository, type WebhookSecretRepository } from './webhook-secret-repository.ts';
import { createWorkloadRepository, type WorkloadRepository } from './workload-repository.ts';

/** All that is stored. */
export interface Repositories {
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
  readonly idempotency: IdempotencyRepository;
  readonly knowledgeBases: KnowledgeBaseRepository;
  readonly knowledgeChunks: KnowledgeChunkRepository;
  readonly knowledgeVectors: KnowledgeVectorRepository;
  readonly postCall: PostCallRepository;
  readonly postCallQuestions: PostCallQuestionRepository;
  readonly masterKeyProof: MasterKeyProofRepository;
  readonly nodes: NodeRepository;
  readonly nodeOrders: NodeOrderRepository;
  readonly workload: WorkloadRepository;
}

/** `nodeId`: of this process, where others share the database. */
export function createRepositories(database: Database, nodeId: string | null = null): Repositories {
  return {
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
    idempotency: createIdempotencyRepository(database, nodeId),
    knowledgeBases: createKnowledgeBaseRepository(database),
    knowledgeChunks: createKnowledgeChunkRepository(database),
    knowledgeVectors: createKnowledgeVectorRepository(database),
    postCall: createPostCallRepository(database),
    postCallQuestions: createPostCallQuestionRepository(database),
    masterKeyProof: createMasterKeyProofRepository(database),
    nodes: createNodeRepository(database),
    nodeOrders: createNodeOrderRepository(database),
    workload: createWorkloadRepository(database),
  };
}
