import { type Compilable, CompiledQuery } from 'kysely';
import type { DatabaseKind } from '../../link/database-link.ts';
import type { Migration } from '../migrate.ts';

/**
 * One sealed value by which a start knows that it has the key of all others. A database that holds sealed values has the
 * newest of them for it, so that the first start with this version is not taken at its word.
 */
export const masterKeyProof: Migration = {
  name: '0030-master-key-proof',
  statements: ({ schema }, kind) => [
    schema
      .createTable('master_key_proof')
      .addColumn('id', 'integer', (c) => c.primaryKey())
      .addColumn('value_sealed', 'text', (c) => c.notNull()),
    newestSealedValue(kind),
  ],
};

function newestSealedValue(kind: DatabaseKind): Compilable {
  const place = kind === 'sqlite' ? 'instr' : 'strpos';
  // A secret header's value stands between quotes, and base64 has none.
  const header = `substr(configuration_json, ${place}(configuration_json, '"sealed:v1:') + 1)`;
  const text = `INSERT INTO master_key_proof (id, value_sealed) SELECT 1, sealed FROM (
    SELECT secret_sealed AS sealed, created_ms FROM webhook_secrets
    UNION ALL SELECT password_sealed, created_ms FROM sip_trunks WHERE password_sealed IS NOT NULL
    UNION ALL SELECT answer_sealed, created_ms FROM idempotency_keys WHERE answer_sealed IS NOT NULL
    UNION ALL SELECT substr(header, 1, ${place}(header, '"') - 1), created_ms FROM (
      SELECT ${header} AS header, created_ms FROM agent_versions WHERE configuration_json LIKE '%"sealed:v1:%'
    ) AS headers
  ) AS known ORDER BY created_ms DESC LIMIT 1`;
  return { compile: () => CompiledQuery.raw(text) };
}
