/** Reads the OpenAPI document of the service. @throws for every answer but success: an error's body describes no API */
export async function apiDescription(url: string): Promise<unknown> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}
