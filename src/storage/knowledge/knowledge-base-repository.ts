import type { Database, Step } from '../database/database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from '../database/listing.ts';
import { lockRow } from '../database/lock-row.ts';
import type { KnowledgeSourceTable } from '../schema/tables.ts';

export const SOURCE_TYPES = ['file', 'text'] as const;
export const SOURCE_STATUSES = ['ingesting', 'ready', 'failed'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

export interface KnowledgeSource {
  readonly id: string;
  readonly knowledgeBaseId: string;
  readonly type: SourceType;
  /** The title, for a text. */
  readonly fileName: string;
  readonly status: SourceStatus;
  /** Why ingestion failed; else null. */
  readonly error: string | null;
  /** Ingestion attempts so far. */
  readonly attempts: number;
  readonly createdMs: number;
}

export interface KnowledgeBase {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly createdMs: number;
}

/** Knowledge bases and their sources. All methods reject with a `DatabaseError`. */
export interface KnowledgeBaseRepository {
  create(base: KnowledgeBase): Promise<void>;
  find(organizationId: string, id: string): Promise<KnowledgeBase | null>;
  list(organizationId: string, page: Page): Promise<Listed<KnowledgeBase>>;
  /** Removes its sources too. False: no such base. */
  remove(organizationId: string, id: string): Promise<boolean>;
  /** The ids that are no bases of the organization. */
  unknownOf(organizationId: string, ids: readonly string[]): Promise<readonly string[]>;
  /** Adds all sources to one base, or none. Rejects with `constraint` if the base is gone. */
  addSources(sources: readonly KnowledgeSource[]): Promise<void>;
  /** By base id, in the order of adding; a base without sources is missing. */
  sourcesOf(baseIds: readonly string[]): Promise<ReadonlyMap<string, readonly KnowledgeSource[]>>;
  /** All sources of the service. */
  sourceIds(): Promise<readonly string[]>;
  removeSources(baseId: string, sourceIds: readonly string[]): Promise<void>;
  /** The source that has waited longest for ingestion; null without one. */
  nextToRead(): Promise<KnowledgeSource | null>;
  /** Counts an attempt before it starts. False: the source is gone. */
  beginReading(sourceId: string): Promise<boolean>;
  settle(
    sourceId: string,
    outcome: { readonly status: 'ready' | 'failed'; readonly error: string | null },
  ): Promise<void>;
}

export function createKnowledgeBaseRepository(database: Database): KnowledgeBaseRepository {
  return { ...bases(database), ...sources(database), ...sourceReading(database) };
}

function bases(database: Database): Pick<KnowledgeBaseRepository, 'create' | 'find' | 'list' | 'remove' | 'unknownOf'> {
  const { query } = database;
  return {
    create: async (base) => {
      const statement = query.insertInto('knowledge_bases').values({
        id: base.id,
        organization_id: base.organizationId,
        name: base.name,
        listed_us: lastListedUs(query, base.organizationId),
        created_ms: base.createdMs,
      });
      await insertListed(database, base.organizationId, base.createdMs, [{ statement }]);
    },
    find: async (organizationId, id) => {
      const row = await query
        .selectFrom('knowledge_bases')
        .selectAll()
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : readBase(row);
    },
    list: (organizationId, page) => {
      const all = query.selectFrom('knowledge_bases').where('organization_id', '=', organizationId);
      const newest = all.selectAll().orderBy('listed_us', 'desc').limit(page.limit);
      const queries = {
        before: (placeUs: number) => newest.where('listed_us', '<', placeUs).execute(),
        from: (offset: number) => newest.offset(offset).execute(),
        count: () => all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
      };
      return listed(page, queries, readBase);
    },
    remove: async (organizationId, id) => {
      const result = await query
        .deleteFrom('knowledge_bases')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    unknownOf: async (organizationId, ids) => {
      if (ids.length === 0) return [];
      const rows = await query
        .selectFrom('knowledge_bases')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('id', 'in', ids)
        .execute();
      const known = new Set(rows.map(({ id }) => id));
      return ids.filter((id) => !known.has(id));
    },
  };
}

function sources(
  database: Database,
): Pick<KnowledgeBaseRepository, 'addSources' | 'removeSources' | 'sourcesOf' | 'sourceIds'> {
  const { query } = database;
  return {
    addSources: async (sources) => {
      const [first] = sources;
      if (first === undefined) return;
      await database.atomically([
        ...lockRow(database, 'knowledge_bases', first.knowledgeBaseId),
        ...sources.map((source) => addSource(database, source)),
      ]);
    },
    removeSources: async (baseId, sourceIds) => {
      await query
        .deleteFrom('knowledge_sources')
        .where('knowledge_base_id', '=', baseId)
        .where('id', 'in', sourceIds)
        .execute();
    },
    sourcesOf: async (baseIds) => {
      const rows = await query
        .selectFrom('knowledge_sources')
        .selectAll()
        .where('knowledge_base_id', 'in', baseIds)
        .orderBy('place')
        .execute();
      return Map.groupBy(rows.map(readSource), (source) => source.knowledgeBaseId);
    },
    sourceIds: async () => {
      const rows = await query.selectFrom('knowledge_sources').select('id').execute();
      return rows.map(({ id }) => id);
    },
  };
}

function sourceReading({ query }: Database): Pick<KnowledgeBaseRepository, 'nextToRead' | 'beginReading' | 'settle'> {
  return {
    nextToRead: async () => {
      const row = await query
        .selectFrom('knowledge_sources')
        .selectAll()
        .where('status', '=', 'ingesting')
        .orderBy('created_ms')
        .orderBy('place')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : readSource(row);
    },
    beginReading: async (sourceId) => {
      const result = await query
        .updateTable('knowledge_sources')
        .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
        .where('id', '=', sourceId)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    settle: async (sourceId, outcome) => {
      await query.updateTable('knowledge_sources').set(outcome).where('id', '=', sourceId).execute();
    },
  };
}

function addSource({ query }: Database, source: KnowledgeSource): Step {
  const next = query
    .selectFrom('knowledge_sources as earlier')
    .select((eb) => eb(eb.fn.coalesce(eb.fn.max('earlier.place'), eb.lit(0)), '+', 1).as('next'))
    .where('earlier.knowledge_base_id', '=', source.knowledgeBaseId);
  const statement = query.insertInto('knowledge_sources').values((eb) => ({
    id: source.id,
    knowledge_base_id: source.knowledgeBaseId,
    place: eb.fn.coalesce(next, eb.lit(1)),
    type: source.type,
    file_name: source.fileName,
    status: source.status,
    error: source.error,
    attempts: source.attempts,
    created_ms: source.createdMs,
    embedding_model: null,
  }));
  return { statement };
}

function readBase(row: { id: string; organization_id: string; name: string; created_ms: number }): KnowledgeBase {
  return { id: row.id, organizationId: row.organization_id, name: row.name, createdMs: row.created_ms };
}

/** Only this module writes these rows, so the casts of the closed sets hold. */
function readSource(row: KnowledgeSourceTable): KnowledgeSource {
  return {
    id: row.id,
    knowledgeBaseId: row.knowledge_base_id,
    type: row.type as SourceType,
    fileName: row.file_name,
    status: row.status as SourceStatus,
    error: row.error,
    attempts: row.attempts,
    createdMs: row.created_ms,
  };
}
