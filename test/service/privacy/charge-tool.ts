/** A tool of an agent that charges a card, by a server on this machine. */
export function chargeTool(port: number): object {
  return {
    type: 'custom_function',
    name: 'charge',
    description: 'Charges.',
    url: `http://127.0.0.1:${port}`,
    method: 'POST',
    content_type: 'json',
    parameters: [{ name: 'card', type: 'string', description: 'Number of the card.' }],
  };
}
