// Answers errors and unknown paths: in the form of the route where it has one, otherwise as a problem.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Fault } from '../../fault.ts';
import type { ErrorForm, Unserved } from '../route.ts';
import { formOf, ownRefusal } from '../serve-route.ts';
import type { Problem, ProblemWriter } from './problem.ts';

interface ErrorAnswers {
  readonly problems: ProblemWriter;
  /** Forms of the 404 answer for paths without a route; the first that matches is used. */
  readonly unserved: readonly Unserved[];
}

export function addErrorAnswers(app: FastifyInstance, { problems, unserved }: ErrorAnswers): void {
  app.setErrorHandler((error, request, reply) => {
    const usual = problems(error, request.id);
    const form = formOf(request) ?? (request.is404 ? unservedForm(unserved, request.url) : undefined);
    if (form) return sendFormed(reply, usual, form);
    const own = ownRefusal(request, usual);
    return sendProblem(reply, own ? { ...usual, ...own } : usual);
  });
  app.setNotFoundHandler(() => {
    throw new Fault('NOT_FOUND');
  });
}

export function sendProblem(reply: FastifyReply, { status, headers, body }: Omit<Problem, 'body'> & { readonly body: unknown }): FastifyReply {
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}

function unservedForm(unserved: readonly Unserved[], url: string): ErrorForm | undefined {
  const begins = (prefix: string) => url.startsWith(prefix);
  return unserved.find(({ below, except }) => below.some(begins) && !except.some(begins))?.form;
}

function sendFormed(reply: FastifyReply, { status: usual, headers, body }: Problem, form: ErrorForm): FastifyReply {
  const status = form.status(usual);
  const { 'www-authenticate': challenge, ...others } = headers;
  const sent = Buffer.from(JSON.stringify(form.body({ ...body, status })));
  // Sent as bytes: Fastify would add a charset to the content type of a string.
  return reply
    .code(status)
    .headers(challenge !== undefined && status === 401 ? headers : others)
    .type('application/json')
    .send(sent);
}
