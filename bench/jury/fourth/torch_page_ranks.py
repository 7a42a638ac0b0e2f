"""Ranks of 32 million pages, each with four links to it.

At fault: the pages are numbered in no order, so that each lane fetches the rank of a page far away.
The pattern is that of dmlc/dgl, issue 3059, which numbers the nodes of a graph so that neighbours lie close by."""
import torch

from case import run_case

PAGES, LINKS, REACH, ROUNDS = 32 << 20, 4, 31, 400


def made_links():
    page = torch.arange(PAGES, device="cuda")
    links = torch.empty(LINKS, PAGES, dtype=torch.int64, device="cuda")
    for number in range(LINKS):
        away = ((page * 2654435761 + number * 40503) >> 7) % REACH - REACH // 2
        links[number] = (page + away) % PAGES
    return links


def in_no_order(links):
    torch.manual_seed(1)
    name = torch.randperm(PAGES, device="cuda")
    renamed = torch.empty_like(links)
    for number in range(LINKS):
        renamed[number, name] = name[links[number]]
    return renamed


def shares_of(links):
    sent = sum(torch.bincount(row, minlength=PAGES) for row in links)
    return 1 / sent.clamp(min=1).float()


def total_of(ranks):
    return ranks.double().square().sum().item()


def unordered():
    links = in_no_order(made_links())
    shares, results = shares_of(links), [torch.ones(PAGES, device="cuda")]

    def one_round():
        sent = results[0] * shares
        results[0] = sent[links].sum(0).mul_(0.85).add_(0.15)  # fault

    return one_round, lambda: total_of(results[0]), ROUNDS


def neighbours_close():
    links = made_links()
    shares, results = shares_of(links), [torch.ones(PAGES, device="cuda")]

    def one_round():
        sent = results[0] * shares
        results[0] = sent[links].sum(0).mul_(0.85).add_(0.15)

    return one_round, lambda: total_of(results[0]), ROUNDS


run_case(unordered, neighbours_close)
