import { ApiClient } from '../service/rig/api-client.ts';
import type { TestService } from '../service/rig/test-service.ts';

const OTHER_KEY = 'tl_test_key_of_another_organization_0123';

/** A client of another organization than the default one, with its key. */
export async function otherOrganization({
  service,
}: Pick<TestService, 'service'>): Promise<{ readonly api: ApiClient; readonly key: string }> {
  const { organizations } = service.repositories;
  const nowMs = Date.now();
  const { id: organizationId } = await organizations.addOrganization('other', nowMs);
  await organizations.addKey({ organizationId, name: 'other', key: OTHER_KEY, scopes: ['read', 'write'], nowMs });
  return { api: new ApiClient(service.httpUrl, OTHER_KEY), key: OTHER_KEY };
}
