// Makes a role with which service accounts of a cluster sign in.
import { html } from '/console/lib/lit-html.js';
import { ask, part } from './api.js';
import { askIn } from './dialog.js';
import { textField, textIn, wordsIn } from './form.js';
import { requireFree } from './free-name.js';
import { tell } from './notice.js';

export function makeClusterRole() {
  const body = html`
    ${textField('name', 'Name', { id: 'cluster-name', required: true, maxlength: 128, pattern: '[A-Za-z0-9_.\\-]+', title: 'Letters, digits, _, . and -' })}
    ${textField('jwks', 'Address of the keys of the cluster', { id: 'cluster-jwks', type: 'url', required: true, maxlength: 2_048, placeholder: 'https://cluster.example/openid/v1/jwks' })}
    ${textField('namespaces', 'Namespaces', { id: 'cluster-namespaces', required: true, hint: 'Separated by commas; * stands for all.' })}
    ${textField('accounts', 'Service accounts', { id: 'cluster-accounts', required: true, hint: 'Separated by commas; * stands for all.' })}
    ${textField('minutes', 'A token is good for … minutes', { id: 'cluster-minutes', type: 'number', min: '1', required: true, value: '60' })}
    ${textField('issuer', 'Issuer', { id: 'cluster-issuer', maxlength: 2_048, hint: 'Without one, the issuer of a token is not checked.' })}
    ${textField('policies', 'Policies', { id: 'cluster-policies', hint: 'Separated by commas. They stand in the token.' })}
  `;
  const work = async (/** @type {FormData} */ data) => {
    const name = textIn(data, 'name');
    const issuer = textIn(data, 'issuer');
    await requireFree('/auth/cluster/role', name);
    await ask('POST', `/auth/cluster/role/${part(name)}`, {
      jwks_url: textIn(data, 'jwks'),
      bound_service_account_namespaces: wordsIn(data, 'namespaces'),
      bound_service_account_names: wordsIn(data, 'accounts'),
      token_ttl: Number(textIn(data, 'minutes')) * 60,
      token_policies: wordsIn(data, 'policies'),
      ...(issuer === '' ? {} : { expected_issuer: issuer }),
    });
    tell('The role is made.');
    location.hash = `#/machine/cluster/${part(name)}`;
  };
  return askIn({ title: 'Make a role of clusters', body, verb: 'Make it', work });
}
