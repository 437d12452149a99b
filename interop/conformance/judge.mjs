// The verdict on a scenario of servers. Stricter than the suite: a warning is a failure, in scenarios that aren't scored too;
// nothing may be skipped but what is named below; and each scenario must have seen a check of its own succeed.

// The suite always skips it: the notifications of tasks go to subscriptions, where it doesn't look for them yet.
export const SKIPPED = ['tasks-status-notifications'];
// Where the suite has nothing against a server that doesn't do it, and only says so.
const MUST = { 'server-sse-polling': 'server-sse-disconnect-resume' };
// Made by the validation of every message in every scenario.
const EVERYWHERE = 'wire-schema-valid';

// What is wrong with a check, if anything.
function wrong({ id, status, errorMessage = '', details = {} }) {
  const fine = ['SUCCESS', 'INFO'].includes(status) || (status === 'SKIPPED' && SKIPPED.includes(id));
  return fine ? [] : [`${id} ${status}: ${errorMessage} ${JSON.stringify(details).slice(0, 500)}`];
}

// What is wrong with a scenario that made these checks.
export function judge(name, checks) {
  if (checks === undefined) return ['was not run'];
  const problems = checks.flatMap(wrong);
  const succeeded = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
  const own = MUST[name] === undefined ? id => id !== EVERYWHERE : id => id === MUST[name];
  if (succeeded.some(own) || problems.length > 0 || SKIPPED.includes(name)) return problems;
  return [MUST[name] === undefined ? 'no check of its own succeeded' : `${MUST[name]} did not succeed`];
}
