// The health check of the image: asks the server on this machine. Exits with 0 if it serves.
import { request } from 'node:https';

const port = process.env.GATEHOUSE_HTTP_PORT ?? '8443';
const asked = request({ host: '127.0.0.1', port, path: '/health', rejectUnauthorized: false, timeout: 5_000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
});
asked.on('error', () => process.exit(1));
asked.on('timeout', () => process.exit(1));
asked.end();
