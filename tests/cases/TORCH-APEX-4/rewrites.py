#### a loop with everything in one place
import torch
from apex import amp
model, optimizer = amp.initialize(model, optimizer, opt_level='O1')
for x, y in loader:
    optimizer.zero_grad()
    out = model(x)  # forward
    loss = criterion(out, y)
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    optimizer.step()
#### after
import torch
from apex import amp
scaler = torch.npu.amp.GradScaler()
for x, y in loader:
    optimizer.zero_grad()
    with torch.npu.amp.autocast():
        out = model(x)  # forward
        loss = criterion(out, y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
#### findings
3 auto-check
#### in a function, clipped, a fixed scale, zero_grad at the end
import torch
from apex import amp

def train(model, optimizer, loader):
    model, optimizer = amp.initialize(model, optimizer, opt_level="O2", loss_scale=128.0,
                                      keep_batchnorm_fp32=True)
    for batch in loader:
        loss = model(
            batch,
            text="""one
two""",
        )
        with amp.scale_loss(loss, optimizer) as scaled:
            scaled.backward()
        torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
        optimizer.step()
        optimizer.zero_grad()
#### after
import torch
from apex import amp

def train(model, optimizer, loader):
    scaler = torch.npu.amp.GradScaler(init_scale=128.0, dynamic=False)
    for batch in loader:
        with torch.npu.amp.autocast():
            loss = model(
                batch,
                text="""one
two""",
            )
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
#### the name scaler is taken, the loop is in an attribute
import torch
import apex
class T:
    def fit(self, scaler):
        self.net, self.opt = apex.amp.initialize(self.net, self.opt)
        for x in self.data:
            loss = self.net(x).sum()
            with apex.amp.scale_loss(loss, self.opt) as s:
                s.backward()
            self.opt.step()
#### after
import torch
import apex
class T:
    def fit(self, scaler):
        scaler_2 = torch.npu.amp.GradScaler()
        for x in self.data:
            with torch.npu.amp.autocast():
                loss = self.net(x).sum()
            scaler_2.scale(loss).backward()
            scaler_2.step(self.opt)
            scaler_2.update()
