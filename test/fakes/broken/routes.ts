// An external plugin whose routes are wrong: silent about authentication, malformed, and claiming what is taken.
export default {
  name: 'grabby',
  config: { type: 'object', properties: {}, additionalProperties: false, default: {} },
  routes: () => [
    { method: 'GET', path: '/silent', handle: () => ({ status: 200 }) },
    { method: 'FETCH', path: 'no-slash', auth: 'none' },
    { method: 'GET', path: '/whoami', auth: 'none', handle: () => ({ status: 200 }) },
    { method: 'POST', path: '/health', auth: 'none', handle: () => ({ status: 200 }) },
  ],
};
