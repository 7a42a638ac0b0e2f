"""Steps of 65,536 simulated hands, whose driven joints a network controls.

At fault: the driven joints are picked by a list of the host, which each use turns into a tensor and copies.
The pattern is that of isaac-sim/IsaacLab, pull request 5472: indices stay on the device, 15 to 34 % more frames."""
import torch
from torch import nn

from case import run_case

HANDS, JOINTS, SEEN, WIDTH, PARTS, ROUNDS = 65536, 24, 104, 1024, 4, 1500
DRIVEN = [joint for joint in range(JOINTS) if joint % 6 != 5]


class Hands:
    def __init__(self):
        torch.manual_seed(1)
        self.net = nn.Sequential(nn.Linear(SEEN + JOINTS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH // 2), nn.ReLU(),
                                 nn.Linear(WIDTH // 2, len(DRIVEN)), nn.Tanh()).to("cuda", torch.bfloat16)
        self.seen = torch.randn(HANDS, SEEN, device="cuda").bfloat16()
        self.joints = torch.zeros(HANDS, JOINTS, device="cuda")
        self.targets = torch.zeros(HANDS, JOINTS, device="cuda")
        self.reach = torch.rand(HANDS, JOINTS, device="cuda") + 0.5

    def actions(self):
        return self.net(torch.cat((self.seen, self.joints.bfloat16()), dim=1)).float()

    def move(self):
        self.joints.lerp_(self.targets, 0.1)

    def total(self):
        return self.joints.double().abs().sum().item()


def by_list():
    hands = Hands()

    @torch.no_grad()
    def one_round():
        actions = hands.actions()
        for _ in range(PARTS):
            wanted = actions * hands.reach[:, DRIVEN]  # fault
            hands.targets[:, DRIVEN] = torch.lerp(hands.targets[:, DRIVEN], wanted, 0.3)  # fault
            hands.move()

    return one_round, hands.total, ROUNDS


def by_tensor():
    hands, driven = Hands(), torch.tensor(DRIVEN, device="cuda")

    @torch.no_grad()
    def one_round():
        actions = hands.actions()
        for _ in range(PARTS):
            wanted = actions * hands.reach[:, driven]
            hands.targets[:, driven] = torch.lerp(hands.targets[:, driven], wanted, 0.3)
            hands.move()

    return one_round, hands.total, ROUNDS


run_case(by_list, by_tensor)
