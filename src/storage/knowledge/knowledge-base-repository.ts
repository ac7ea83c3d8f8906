import type { Database, Step } from '../database/database.ts';
import { insertListed, type Listed, lastListedUs, listed, type Page } from '../database/listing.ts';
import { lockRow } from '../database/lock-row.ts';
import type { KnowledgeSourceTable } from '../schema/tables.ts';

export const SOURCE_TYPES = ['file', 'text'] as const;
export const SOURCE_STATUSES = ['ingesting', 'ready', 'failed'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];
export type SourceStatus = (typeof SOURCE_STATUSES)[number];

/** Sources of an organization that wait to be read: two full knowledge bases. Bounds the work that one organization can queue. */
export const WAITING_SOURCES_MAX = 400;

/** Sources of one knowledge base. */
export const SOURCES_MAX = 200;

/**
 * `base_full`: the base would have more than `SOURCES_MAX` sources. `organization_full`: the organization would have more than
 * `WAITING_SOURCES_MAX` waiting sources. `gone`: no such base.
 */
export type AddedSources = 'added' | 'base_full' | 'organization_full' | 'gone';

export interface KnowledgeSource {
  readonly id: string;
  readonly knowledgeBaseId: string;
  readonly type: SourceType;
  /** The title, for a text. */
  readonly fileName: string;
  readonly status: SourceStatus;
  /** Why ingestion failed; otherwise null. */
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
  /** The organization of each of these bases; a base that does not exist is missing. */
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Adds all sources to one base, or none. */
  addSources(sources: readonly KnowledgeSource[]): Promise<AddedSources>;
  /** Number of sources of the organization that wait to be read. */
  waitingSources(organizationId: string): Promise<number>;
  /** By base id, in the order of adding; a base without sources is missing. */
  sourcesOf(baseIds: readonly string[]): Promise<ReadonlyMap<string, readonly KnowledgeSource[]>>;
  /** All sources of the service. */
  sourceIds(): Promise<readonly string[]>;
  removeSources(baseId: string, sourceIds: readonly string[]): Promise<void>;
  /** Organizations with waiting sources of the type, the longest waiting first. */
  organizationsToRead(type: SourceType): Promise<readonly string[]>;
  /** The source of the organization and type that has waited longest; null without one. */
  nextToRead(organizationId: string, type: SourceType): Promise<KnowledgeSource | null>;
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

function bases(
  database: Database,
): Pick<KnowledgeBaseRepository, 'create' | 'find' | 'list' | 'remove' | 'unknownOf' | 'ownersOf'> {
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
    ownersOf: async (ids) => {
      if (ids.length === 0) return new Map();
      const rows = await query
        .selectFrom('knowledge_bases')
        .select(['id', 'organization_id'])
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.map((row) => [row.id, row.organization_id]));
    },
  };
}

function sources(
  database: Database,
): Pick<KnowledgeBaseRepository, 'addSources' | 'waitingSources' | 'removeSources' | 'sourcesOf' | 'sourceIds'> {
  const { query } = database;
  return {
    addSources: async (sources) => {
      const [first] = sources;
      if (first === undefined) return 'added';
      const baseId = first.knowledgeBaseId;
      const isAdded = await database.atomically([
        ...lockRow(database, 'organizations', ownerOf(database, baseId)),
        mayWait(database, baseId, sources.filter(({ status }) => status === 'ingesting').length),
        hasRoom(database, baseId, sources.length),
        ...sources.map((source) => addSource(database, source)),
      ]);
      if (isAdded) return 'added';
      const base = await query.selectFrom('knowledge_bases').select('id').where('id', '=', baseId).executeTakeFirst();
      if (base === undefined) return 'gone';
      const { held } = await heldBy(database, baseId).executeTakeFirstOrThrow();
      return Number(held) + sources.length > SOURCES_MAX ? 'base_full' : 'organization_full';
    },
    waitingSources: async (organizationId) => {
      const row = await waiting(database).where('base.organization_id', '=', organizationId).executeTakeFirstOrThrow();
      return Number(row.waiting);
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

function sourceReading({
  query,
}: Database): Pick<KnowledgeBaseRepository, 'organizationsToRead' | 'nextToRead' | 'beginReading' | 'settle'> {
  const toRead = (type: SourceType) =>
    query
      .selectFrom('knowledge_sources as source')
      .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
      .where('source.status', '=', 'ingesting')
      .where('source.type', '=', type);
  return {
    organizationsToRead: async (type) => {
      const rows = await toRead(type)
        .select('base.organization_id')
        .groupBy('base.organization_id')
        .orderBy((eb) => eb.fn.min('source.created_ms'))
        .execute();
      return rows.map(({ organization_id }) => organization_id);
    },
    nextToRead: async (organizationId, type) => {
      const row = await toRead(type)
        .where('base.organization_id', '=', organizationId)
        .selectAll('source')
        .orderBy('source.created_ms')
        .orderBy('source.place')
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

/** The organization of a base. */
function ownerOf({ query }: Database, baseId: string) {
  return query
    .selectFrom('knowledge_bases as owned')
    .select('owned.organization_id')
    .where('owned.id', '=', baseId)
    .$asScalar()
    .$notNull();
}

/** Counts sources that wait to be read. */
function waiting({ query }: Database) {
  return query
    .selectFrom('knowledge_sources as source')
    .innerJoin('knowledge_bases as base', 'base.id', 'source.knowledge_base_id')
    .where('source.status', '=', 'ingesting')
    .select((eb) => eb.fn.countAll<number>().as('waiting'));
}

/** Counts the sources of a base. */
function heldBy({ query }: Database, baseId: string) {
  return query
    .selectFrom('knowledge_sources as held_source')
    .where('held_source.knowledge_base_id', '=', baseId)
    .select((eb) => eb.fn.countAll<number>().as('held'));
}

/** A condition: `added` more sources of the organization may wait. */
function mayWait(database: Database, baseId: string, added: number): Step {
  const owner = ownerOf(database, baseId);
  const waitingNow = waiting(database).where('base.organization_id', '=', owner);
  return {
    statement: touchedOwner(database, baseId).where(waitingNow, '<=', WAITING_SOURCES_MAX - added),
    mustChange: true,
  };
}

/** A condition: the base may hold `added` more sources. */
function hasRoom(database: Database, baseId: string, added: number): Step {
  const statement = touchedOwner(database, baseId).where(heldBy(database, baseId), '<=', SOURCES_MAX - added);
  return { statement, mustChange: true };
}

/**
 * Changes nothing in the row of the organization: the step changes it only if its condition holds. An earlier step locked that row, so no
 * other transaction can add sources between count and insert.
 */
function touchedOwner(database: Database, baseId: string) {
  return database.query
    .updateTable('organizations')
    .set((eb) => ({ last_listed_us: eb.ref('last_listed_us') }))
    .where('id', '=', ownerOf(database, baseId));
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
