// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_SCRIPT_HPP
#define DPLDA_REPORT_DETAIL_SCRIPT_HPP

#include <string_view>

// The script of the report's page, the same for every release (see style.hpp).

namespace dplda::inline v0_1::detail::page {

inline constexpr std::string_view script = R"js(
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const find = id => document.getElementById(id);
  const map = find('map'), panel = find('panel'), list = find('words'), slider = find('lambda');
  const circles = [...map.querySelectorAll('[data-topic]')], labels = [...map.querySelectorAll('.labels text')];
  const most = 20;
  let topic = 0, word = -1;

  const percent = p => {
    const x = 100 * p;
    return (x >= 10 ? x.toFixed(1) : x >= 0.1 ? x.toFixed(2) : x >= 0.001 ? x.toFixed(4) : x.toExponential(0)) + '%';
  };

  // Areas are shares: of a topic under the prior or, while a word is picked, of the topic given the word.
  const resize = () => {
    const shares = data.share.slice();
    if (word >= 0) {
      shares.fill(0);
      const of = data.topics_of[word];
      for (let i = 0; i < of.length; i += 2) shares[of[i]] = of[i + 1] / 100;
    }
    circles.forEach((node, k) => node.querySelector('circle').setAttribute('r', Math.max(2, data.radius * Math.sqrt(shares[k])).toFixed(1)));
    find('map-note').textContent = word < 0 ? '' :
      'Circles now show which topics use “' + data.words[word] + '”. Press Escape to see the topics’ shares again.';
  };

  const pick_word = chosen => {
    word = chosen === word ? -1 : chosen;
    for (const item of list.children) item.setAttribute('aria-selected', String(Number(item.dataset.word) === word));
    resize();
  };

  const make = (name, kind) => {
    const node = document.createElement(name);
    node.className = kind;
    return node;
  };

  const show_words = () => {
    const lambda = Number(slider.value);
    find('lambda-value').textContent = lambda.toFixed(1);
    const ids = data.terms[topic], phi = data.phi[topic];
    const ranked = ids.map((id, i) => ({id, p: phi[i], relevance: Math.log(phi[i]) - (1 - lambda) * Math.log(data.share_of_word[id])}));
    ranked.sort((a, b) => b.relevance - a.relevance || a.id - b.id);
    ranked.length = Math.min(most, ranked.length);
    const longest = Math.max(...ranked.map(one => Math.max(one.p, data.share_of_word[one.id])));
    list.replaceChildren(...ranked.map((one, i) => {
      const item = make('li', ''), name = make('bdi', 'name'), room = make('span', 'room'), part = make('span', 'part'),
        mean = make('span', 'mean'), value = make('span', 'value');
      item.setAttribute('role', 'option');
      item.setAttribute('aria-selected', String(one.id === word));
      item.tabIndex = i === 0 ? 0 : -1;
      item.dataset.word = one.id;
      name.textContent = name.title = data.words[one.id];
      part.style.width = 100 * one.p / longest + '%';
      mean.style.left = 100 * data.share_of_word[one.id] / longest + '%';
      room.append(part, mean);
      value.textContent = percent(one.p);
      item.title = data.words[one.id] + ': ' + percent(one.p) + ' of this topic, ' + percent(data.share_of_word[one.id]) + ' of all topics together';
      item.append(name, room, value);
      return item;
    }));
  };

  const show_topic = (chosen, focus) => {
    topic = (chosen + circles.length) % circles.length;
    word = -1;
    circles.forEach((node, k) => {
      node.setAttribute('aria-checked', String(k === topic));
      node.setAttribute('tabindex', k === topic ? '0' : '-1');
    });
    find('topic-name').textContent = 'Topic ' + topic + (data.names[topic] ? ': ' + data.names[topic] : '');
    labels.forEach((node, k) => node.classList.toggle('chosen', k === topic));
    find('topic-share').textContent = data.varied ? percent(data.share[topic]) + ' ' + data.share_of : '';
    if (focus) circles[topic].focus();
    resize();
    show_words();
  };

  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
  circles.forEach((node, k) => {
    node.setAttribute('role', 'radio');
    node.addEventListener('click', () => show_topic(k, true));
  });
  map.setAttribute('role', 'radiogroup');
  map.addEventListener('keydown', event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in step) show_topic(topic + step[event.key], true);
    else if (event.key === 'Home') show_topic(0, true);
    else if (event.key === 'End') show_topic(circles.length - 1, true);
    else return;
    event.preventDefault();
  });
  find('before').addEventListener('click', () => show_topic(topic - 1, false));
  find('after').addEventListener('click', () => show_topic(topic + 1, false));
  slider.addEventListener('input', show_words);

  list.addEventListener('click', event => {
    const item = event.target.closest('li');
    if (item) pick_word(Number(item.dataset.word));
  });
  list.addEventListener('keydown', event => {
    const items = [...list.children], at = items.indexOf(event.target.closest('li'));
    let next = at;
    if (event.key === 'ArrowDown') next = Math.min(items.length - 1, at + 1);
    else if (event.key === 'ArrowUp') next = Math.max(0, at - 1);
    else if (event.key === 'Home') next = 0;
    else if (event.key === 'End') next = items.length - 1;
    else if (event.key === 'Enter' || event.key === ' ') pick_word(Number(items[at].dataset.word));
    else return;
    event.preventDefault();
    items.forEach((item, i) => { item.tabIndex = i === next ? 0 : -1; });
    items[next].focus();
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape' && word >= 0) pick_word(word);
  });

  const follow = () => {
    const match = /^#topic-(\d+)$/.exec(location.hash);
    return match && Number(match[1]) < circles.length ? Number(match[1]) : 0;
  };
  window.addEventListener('hashchange', () => { if (/^#topic-/.test(location.hash)) show_topic(follow(), false); });
  panel.hidden = false;
  document.documentElement.classList.add('js');
  show_topic(follow(), false);
  document.documentElement.dataset.script = 'ready';
})();
)js";

}  // namespace dplda::inline v0_1::detail::page

#endif
