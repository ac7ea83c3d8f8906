/** Part of the English catalogue: signing in and API keys. */
export const session = {
  key: 'API key',
  signIn: 'Sign in',
  explanation:
    'Sign in with an API key. It stays in this browser tab until you close it. Create one with “trunkline keys create”.',
  refused: 'This API key was refused: it is unknown or revoked.',
  addKey: 'Add another key',
  removeKey: 'Sign out of this key',
  keys: 'API keys',
  scopes: 'Scopes',
  account: (name: string) => `API key ${name}, switch or sign out`,
  kept: 'Your unsaved changes to an agent are kept. They come back when you have signed in.',
  keptHere: 'The service refused the key that was in use. Unsaved changes to an agent are kept.',
  keptElsewhere: 'To go on, use a key of the same organization with the scope “write”.',
  goOn: 'Go on editing',
  discard: 'Discard the changes',
  noAccess: 'No access',
  scopeMissing: (scope: string) => `The API key in use lacks the scope “${scope}”, which this page needs.`,
};
